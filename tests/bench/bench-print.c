/* SPDX-License-Identifier: MIT
 *
 * bench-print.c: what was measured, as a Markdown table or a line of JSON each. */
#include "bench.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

const char *
bench_size_text(int64_t width, int64_t height, char text[32])
{
  if (width == height)
    snprintf(text, 32, "%lld²", (long long)width);
  else
    snprintf(text, 32, "%lldx%lld", (long long)width, (long long)height);
  return text;
}

void
bench_list(void)
{
  const BenchCase *const tables[] = { bench_kernel_cases, bench_texture_cases, bench_run_cases };
  for (size_t t = 0; t < VT_COUNT(tables); t++)
    for (const BenchCase *c = tables[t]; c->name; c++)
      printf("%-28s %s; sizes on the CPU: %s, on CUDA: %s%s%s\n", c->name, c->what, c->sizes[0] ? c->sizes[0] : "none",
             c->sizes[1] ? c->sizes[1] : "none", c->against ? "; beside " : "", c->against ? c->against : "");
}

static void
machine(char *name, size_t size)
{
  char line[256];
  FILE *info = fopen("/proc/cpuinfo", "r");
  snprintf(name, size, "unknown processor");
  while (info && fgets(line, sizeof line, info))
    if (strncmp(line, "model name", 10) == 0 && strchr(line, ':')) {
      snprintf(name, size, "%s", strchr(line, ':') + 2);
      name[strcspn(name, "\n")] = '\0';
      break;
    }
  if (info)
    fclose(info);
}

void
bench_print_head(const Bench *bench)
{
  char name[256], date[16];
  const time_t now = time(NULL);
  machine(name, sizeof name);
  strftime(date, sizeof date, "%Y-%m-%d", localtime(&now));
  if (bench->json) {
    printf("{\"date\": \"%s\", \"machine\": \"%s\", \"cores\": %u}\n", date, name, bench->n_cores);
    return;
  }
  printf("%s, %u cores, %s\n\n", name, bench->n_cores, date);
  if (bench->cancels)
    printf("| work | variant | size | run, ms | worst, ms | seen after | cancelled after | cancels | longest without a "
           "look |\n"
           "| --- | --- | --- | --: | --: | --: | --: | --: | --: |\n");
  else
    printf("| case | variant | size | on | median, ms | least | spread | ns/px | of a copy | B/px beyond | ratio | "
           "runs | answer "
           "| |\n| --- | --- | --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --- | --- |\n");
  fflush(stdout);
}

static const char *
answer_text(const BenchLine *line)
{
  if (line->status != VITRAIL_OK)
    return line->status == VITRAIL_UNSUPPORTED ? "absent" : "FAILED";
  return line->right ? "OK" : "WRONG";
}

static double
ratio_of(const BenchLine *line)
{
  return line->against && line->against->median > 0 ? line->median / line->against->median : 1;
}

static void
print_json(const BenchLine *line)
{
  const double bytes = line->at->bytes * (double)line->width * (double)line->height;
  printf(
    "{\"case\": \"%s\", \"variant\": \"%s\", \"backend\": \"%s\", \"simd\": \"%s\", \"threads\": %u, \"width\": %lld, "
    "\"height\": %lld, \"ms\": %.4f, \"least_ms\": %.4f, \"spread\": %.4f, \"runs\": %d, \"gb_per_s\": %.3f, "
    "\"copy_gb_per_s\": %.3f, \"extra_bytes\": %.0f, \"ratio\": %.4f, \"answer\": \"%016llx\", \"result\": \"%s\", "
    "\"note\": \"%s\"}\n",
    line->at->name, line->variant, line->backend, line->simd, line->n_threads, (long long)line->width,
    (long long)line->height, line->median, line->least, line->spread, line->n,
    line->median > 0 ? bytes / line->median * 1e-6 : 0, line->copy_ms > 0 ? bytes / line->copy_ms * 1e-6 : 0,
    line->extra_bytes, ratio_of(line), (unsigned long long)line->answer, answer_text(line), line->note);
}

void
bench_print(const Bench *bench, const BenchLine *line)
{
  const double pixels = (double)line->width * (double)line->height;
  char size[32], on[64], copy[32] = "", beyond[32] = "";
  if (bench->json) {
    print_json(line);
  } else {
    snprintf(on, sizeof on, "%s%s%s, %u thread%s", line->backend, *line->simd ? " " : "", line->simd, line->n_threads,
             line->n_threads > 1 ? "s" : "");
    if (line->copy_ms > 0)
      snprintf(copy, sizeof copy, "%.1f %%", 100 * line->copy_ms / line->median);
    if (line->extra_bytes >= 0 && !line->at->on_host)
      snprintf(beyond, sizeof beyond, "%.2f", line->extra_bytes / pixels);
    printf("| %s | %s | %s | %s | %.3f | %.3f | %.0f %% | %.3f | %s | %s | %.2fx | %d | %s | %s |\n", line->at->name,
           line->variant, bench_size_text(line->width, line->height, size), on, line->median, line->least,
           100 * line->spread, line->median * 1e6 / pixels, copy, beyond, ratio_of(line), line->n, answer_text(line),
           line->note);
  }
  fflush(stdout);
}
