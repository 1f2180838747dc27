/* SPDX-License-Identifier: MIT
 *
 * To be preloaded (LD_PRELOAD): counts the calls that change files below the folder FAULT_DIR, and at number FAULT_AT kills the
 * process (FAULT=kill), after half of what it would write, or lets this call (FAULT=EIO) or this and all later ones (FAULT=ENOSPC)
 * fail, of those that may. FAULT=ENOMEM: instead, allocations of memory are counted, of vitrail-batch itself, and that one fails, from main() on
 * and not while a library is loaded: some libraries' own starts die of that, as CUDA's does. If the program crashes then, stderr says in
 * which file ("fault: crash in libtiff.so.6"). FAULT=still: the second of
 * several processes stops itself when they meet. FAULT_GONE: while that file is there, whatever asks for files below FAULT_DIR waits, as of a
 * drive that is gone; what is read of them then fails where FAULT=lost. FAULT=late: a file below FAULT_DIR gets its last name two seconds later. FAULT_COUNT: a file that
 * gets the number of calls of a process that ends by itself. */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE
#undef _FILE_OFFSET_BITS /* each name stands for itself */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

static atomic_int n_calls;

/* Whether the call is to fail, with errno. */
static int
strikes(int is_here, int may_fail)
{
  const char *fault = getenv("FAULT"), *at = getenv("FAULT_AT");
  const int is_kill = !fault || strcmp(fault, "kill") == 0, before = errno;
  if (!is_here || (!is_kill && !may_fail) || (fault && strcmp(fault, "ENOMEM") == 0))
    return 0;
  const int n = ++n_calls, wanted = at ? atoi(at) : 0;
  errno = before;
  if (wanted < 1 || n < wanted || (n > wanted && (is_kill || strcmp(fault, "EIO") == 0)))
    return 0;
  errno = is_kill ? 0 : strcmp(fault, "EIO") == 0 ? EIO : ENOSPC;
  return 1;
}

static int
is_path_here(int dir, const char *path)
{
  char link[64], folder[4096];
  const char *root = getenv("FAULT_DIR");
  if (!root)
    return 0;
  if (path && (*path == '/' || dir == AT_FDCWD))
    return strstr(path, root) != NULL;
  snprintf(link, sizeof link, "/proc/self/fd/%d", dir);
  const ssize_t n = readlink(link, folder, sizeof folder - 1);
  folder[n > 0 ? n : 0] = '\0';
  return strstr(folder, root) != NULL;
}

static int
is_file_here(int file)
{
  return is_path_here(file, NULL);
}

static void
die(void)
{
  kill(getpid(), SIGKILL);
  for (;;)
    pause();
}

/* Whether a read that has waited is to fail, with errno. */
static int
waits(int is_here)
{
  const char *gone = getenv("FAULT_GONE"), *fault = getenv("FAULT");
  int has_waited = 0;
  if (!gone || !is_here)
    return 0;
  for (struct stat facts; fstatat(AT_FDCWD, gone, &facts, 0) == 0; has_waited = 1)
    usleep(20000);
  errno = has_waited ? EIO : errno;
  return has_waited && fault && strcmp(fault, "lost") == 0;
}

static int
comes_late(int is_here)
{
  const char *fault = getenv("FAULT");
  if (is_here && fault && strcmp(fault, "late") == 0)
    usleep(2000000);
  return is_here;
}

/* On failure errno is set; without one the process ends. */
static int
fails(int is_here, int may_fail)
{
  if (!strikes(is_here, may_fail))
    return 0;
  if (errno == 0)
    die();
  return 1;
}

#define REAL(name) \
  static __typeof__(&(name)) real; \
  if (!real) \
  *(void **)&real = dlsym(RTLD_NEXT, #name)

/* --- memory --- */

typedef int Main(int argc, char **argv, char **environment);
int __libc_start_main(Main *main, int argc, char **argv, void (*init)(void), void (*fini)(void), void (*linker)(void),
                      void *stack);

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *data, size_t n);

static int has_begun;
static _Thread_local int n_loading;

void *
dlopen(const char *path, int flags)
{
  REAL(dlopen);
  n_loading++;
  void *library = real(path, flags);
  n_loading--;
  return library;
}

int
__libc_start_main(Main *main, int argc, char **argv, void (*init)(void), void (*fini)(void), void (*linker)(void),
                  void *stack)
{
  REAL(__libc_start_main);
  has_begun = 1;
  return real(main, argc, argv, init, fini, linker, stack);
}

/* What a stack of the place would need may be what is lacking: the file that holds the code suffices. */
static void
name_crash(int signal, siginfo_t *info, void *context)
{
  Dl_info found = { 0 };
  char text[256] = "";
#if defined __x86_64__
  const ucontext_t *where = context;
  dladdr((void *)where->uc_mcontext.gregs[REG_RIP], &found);
#elif defined __aarch64__
  const ucontext_t *where = context;
  dladdr((void *)where->uc_mcontext.pc, &found);
#endif
  const char *slash = found.dli_fname ? strrchr(found.dli_fname, '/') : NULL;
  snprintf(text, sizeof text, "fault: crash in %s\n", slash ? slash + 1 : "an unknown place");
  const ssize_t n = write(STDERR_FILENO, text, strlen(text));
  (void)n;
}

static int
starves(void)
{
  const char *fault = getenv("FAULT"), *at = getenv("FAULT_AT");
  if (!has_begun || n_loading > 0 || !fault || strcmp(fault, "ENOMEM") != 0
      || strcmp(program_invocation_short_name, "vitrail-batch") != 0 || ++n_calls != (at ? atoi(at) : 0))
    return 0;
  const struct sigaction action = { .sa_sigaction = name_crash, .sa_flags = SA_SIGINFO | SA_RESETHAND };
  sigaction(SIGSEGV, &action, NULL); /* once: the instruction is tried again, and ends the program */
  errno = ENOMEM;
  return 1;
}

void *
malloc(size_t n)
{
  return starves() ? NULL : __libc_malloc(n);
}

void *
calloc(size_t n, size_t size)
{
  return starves() ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *data, size_t n)
{
  return starves() ? NULL : __libc_realloc(data, n);
}

/* --- files --- */

#define DEFINE_OPEN(name) \
  int name(const char *path, int flags, ...) \
  { \
    REAL(name); \
    va_list more; \
    va_start(more, flags); \
    const int mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, int) : 0; \
    va_end(more); \
    waits(is_path_here(AT_FDCWD, path)); \
    return fails((flags & O_ACCMODE) != O_RDONLY && is_path_here(AT_FDCWD, path), 1) ? -1 : real(path, flags, mode); \
  }
DEFINE_OPEN(open)
DEFINE_OPEN(open64)

#define DEFINE_FOPEN(name) \
  FILE *name(const char *path, const char *mode) \
  { \
    REAL(name); \
    waits(is_path_here(AT_FDCWD, path)); \
    return fails(*mode != 'r' && is_path_here(AT_FDCWD, path), 1) ? NULL : real(path, mode); \
  }
DEFINE_FOPEN(fopen)
DEFINE_FOPEN(fopen64)

#define DEFINE_ASK(name, facts_t) \
  int name(const char *path, facts_t *facts) \
  { \
    REAL(name); \
    waits(is_path_here(AT_FDCWD, path)); \
    return real(path, facts); \
  }
DEFINE_ASK(stat, struct stat)
DEFINE_ASK(stat64, struct stat64)
DEFINE_ASK(lstat, struct stat)
DEFINE_ASK(lstat64, struct stat64)

int
access(const char *path, int mode)
{
  REAL(access);
  waits(is_path_here(AT_FDCWD, path));
  return real(path, mode);
}

ssize_t
read(int file, void *data, size_t n)
{
  REAL(read);
  return waits(is_file_here(file)) ? -1 : real(file, data, n);
}

size_t
fread(void *data, size_t size, size_t n, FILE *file)
{
  REAL(fread);
  return waits(is_file_here(fileno(file))) ? 0 : real(data, size, n, file);
}

#define DEFINE_PREAD(name, offset_t) \
  ssize_t name(int file, void *data, size_t n, offset_t at) \
  { \
    REAL(name); \
    return waits(is_file_here(file)) ? -1 : real(file, data, n, at); \
  }
DEFINE_PREAD(pread, off_t)
DEFINE_PREAD(pread64, off64_t)

ssize_t
write(int file, const void *data, size_t n)
{
  REAL(write);
  if (!strikes(is_file_here(file), 1))
    return real(file, data, n);
  if (errno != 0)
    return -1;
  const ssize_t half = real(file, data, n / 2);
  (void)half;
  die();
  return -1;
}

#define DEFINE_PWRITE(name, offset_t) \
  ssize_t name(int file, const void *data, size_t n, offset_t at) \
  { \
    REAL(name); \
    if (!strikes(is_file_here(file), 1)) \
      return real(file, data, n, at); \
    if (errno != 0) \
      return -1; \
    const ssize_t half = real(file, data, n / 2, at); \
    (void)half; \
    die(); \
    return -1; \
  }
DEFINE_PWRITE(pwrite, off_t)
DEFINE_PWRITE(pwrite64, off64_t)

size_t
fwrite(const void *data, size_t size, size_t n, FILE *file)
{
  REAL(fwrite);
  return fails(is_file_here(fileno(file)), 1) ? 0 : real(data, size, n, file);
}

int
fflush(FILE *file)
{
  REAL(fflush);
  return fails(file && is_file_here(fileno(file)), 1) ? EOF : real(file);
}

int
fclose(FILE *file)
{
  REAL(fclose);
  fails(is_file_here(fileno(file)), 0);
  return real(file);
}

#define DEFINE(name, here, may_fail, parameters, ...) \
  int name parameters \
  { \
    REAL(name); \
    return fails(here, may_fail) ? -1 : real(__VA_ARGS__); \
  }
DEFINE(ftruncate, is_file_here(file), 1, (int file, off_t n), file, n)
DEFINE(ftruncate64, is_file_here(file), 1, (int file, off64_t n), file, n)
DEFINE(fsync, is_file_here(file), 1, (int file), file)
DEFINE(close, is_file_here(file), 0, (int file), file)
DEFINE(mkdir, is_path_here(AT_FDCWD, path), 1, (const char *path, mode_t mode), path, mode)
DEFINE(rmdir, is_path_here(AT_FDCWD, path), 0, (const char *path), path)
DEFINE(unlink, is_path_here(AT_FDCWD, path), 0, (const char *path), path)
DEFINE(unlinkat, is_path_here(dir, path), 0, (int dir, const char *path, int flags), dir, path, flags)
DEFINE(rename, comes_late(is_path_here(AT_FDCWD, to)), 1, (const char *from, const char *to), from, to)
DEFINE(renameat, is_path_here(to_dir, to), 1, (int from_dir, const char *from, int to_dir, const char *to), from_dir,
       from, to_dir, to)

/* --- several processes --- */

int MPI_Comm_dup(void *comm, void *copy); /* both are pointers, or as wide */
int
MPI_Comm_dup(void *comm, void *copy)
{
  REAL(MPI_Comm_dup);
  const char *fault = getenv("FAULT"), *rank = getenv("OMPI_COMM_WORLD_RANK");
  if (fault && rank && strcmp(fault, "still") == 0 && strcmp(rank, "1") == 0)
    raise(SIGSTOP);
  return real(comm, copy);
}

static void
hang(const char *where)
{
  const char *fault = getenv("FAULT"), *rank = getenv("OMPI_COMM_WORLD_RANK");
  while (fault && rank && strcmp(fault, where) == 0 && strcmp(rank, "1") == 0
         && strcmp(program_invocation_short_name, "vitrail-batch") == 0)
    pause();
}

/* As a process whose program lies on a drive that is gone. */
__attribute__((constructor)) static void
begin(void)
{
  hang("hang");
}

/* As one that MPI waits in. */
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int
MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
  REAL(MPI_Init_thread);
  hang("init");
  return real(argc, argv, required, provided);
}

__attribute__((destructor)) static void
tell(void)
{
  const char *path = getenv("FAULT_COUNT");
  FILE *file = path && strcmp(program_invocation_short_name, "vitrail-batch") == 0 ? fopen(path, "w") : NULL;
  if (!file)
    return;
  fprintf(file, "%d\n", n_calls);
  fclose(file);
}
