/* SPDX-License-Identifier: MIT
 *
 * launches.c: which CUDA kernels a program has, and which of them it has launched. The linker leads two calls of the CUDA
 * runtime through here (--wrap): the one by which a kernel is made known before main, and the one by which ours are
 * launched. CUB launches its own otherwise; they are left out.
 *
 * If VT_TWIN_KERNELS names a file, a line is added to it at the end for each kernel: 1 if it was launched, else 0; a hash
 * of its source file's kernels, as two files may have kernels of one name; its mangled name. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_KERNELS = 4096 };

static struct {
  const void *module, *function;
  const char *name;
  bool launched;
} kernels[MAX_KERNELS];
static int n_kernels;

/* As the runtime of CUDA 11 to 13 declares them; what is only handed on is a void pointer. */
void __real___cudaRegisterFunction(void **module, const char *function, char *device_function, const char *name,
                                   int thread_limit, void *thread_id, void *block_id, void *block_size, void *grid_size,
                                   int *warp_size);
void __wrap___cudaRegisterFunction(void **module, const char *function, char *device_function, const char *name,
                                   int thread_limit, void *thread_id, void *block_id, void *block_size, void *grid_size,
                                   int *warp_size);
int __real_cudaLaunchKernelExC(const void *config, const void *function, void **arguments);
int __wrap_cudaLaunchKernelExC(const void *config, const void *function, void **arguments);

static uint64_t
hash_of_module(const void *module)
{
  uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
  for (int k = 0; k < n_kernels; k++)
    for (const char *c = kernels[k].name; kernels[k].module == module && *c; c++)
      hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
  return hash;
}

static void
report(void)
{
  FILE *file = fopen(getenv("VT_TWIN_KERNELS"), "a");
  if (!file)
    return;
  for (int k = 0; k < n_kernels; k++)
    fprintf(file, "%d %016llx %s\n", kernels[k].launched, (unsigned long long)hash_of_module(kernels[k].module),
            kernels[k].name);
  fclose(file);
}

void
__wrap___cudaRegisterFunction(void **module, const char *function, char *device_function, const char *name,
                              int thread_limit, void *thread_id, void *block_id, void *block_size, void *grid_size,
                              int *warp_size)
{
  if (n_kernels == 0 && getenv("VT_TWIN_KERNELS"))
    atexit(report);
  if (n_kernels < MAX_KERNELS && strncmp(name, "_ZN", 3) != 0 /* ours are in no namespace */) {
    kernels[n_kernels].module = module;
    kernels[n_kernels].function = function;
    kernels[n_kernels++].name = name;
  }
  __real___cudaRegisterFunction(module, function, device_function, name, thread_limit, thread_id, block_id, block_size,
                                grid_size, warp_size);
}

int
__wrap_cudaLaunchKernelExC(const void *config, const void *function, void **arguments)
{
  for (int k = 0; k < n_kernels; k++)
    if (kernels[k].function == function)
      kernels[k].launched = true;
  return __real_cudaLaunchKernelExC(config, function, arguments);
}
