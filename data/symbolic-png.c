/* SPDX-License-Identifier: MIT
 * Makes the pictures of our icons: GTK reads symbolic icons as PNG without the SVG reader of gdk-pixbuf, which many machines
 * lack. Run while building: symbolic-png FOLDER SIZE[,SIZE...] FILE.svg...
 * writes FOLDER/FILE-SIZE.symbolic.png for each. GTK takes black for the colour of the text.
 *
 * Of SVG it knows what the icons beside it use: a drawing of 16 by 16, <path d="..."> with M L H V C Z in both cases, and
 * fill-rule="evenodd". Anything else is an error. */
#include <cairo.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWN_SIZE = 16, LONGEST_PATH = 1 << 16 };

/* Reads up to `n` numbers that follow `*at`; false if there are fewer. */
static bool
read_numbers(const char **at, int n, double *numbers)
{
  for (int i = 0; i < n; i++) {
    while (isspace((unsigned char)**at) || **at == ',')
      ++*at;
    char *end = NULL;
    numbers[i] = strtod(*at, &end);
    if (end == *at)
      return false;
    *at = end;
  }
  return true;
}

/* One step of a path. `letter` is upper case; `x` and `y` are what its numbers are counted from. */
static void
draw_step(cairo_t *cairo, char letter, const double *v, double x, double y)
{
  double here_x, here_y;
  cairo_get_current_point(cairo, &here_x, &here_y);
  switch (letter) {
  case 'M': cairo_move_to(cairo, x + v[0], y + v[1]); break;
  case 'L': cairo_line_to(cairo, x + v[0], y + v[1]); break;
  case 'H': cairo_line_to(cairo, x + v[0], here_y); break;
  case 'V': cairo_line_to(cairo, here_x, y + v[0]); break;
  case 'C': cairo_curve_to(cairo, x + v[0], y + v[1], x + v[2], y + v[3], x + v[4], y + v[5]); break;
  default: cairo_close_path(cairo); break;
  }
}

/* Adds the path of a d="..." that ends at a quote; false where it is not understood. */
static bool
draw_path(cairo_t *cairo, const char *at)
{
  static const char letters[] = "MLHVCZ";
  static const int counts[] = { 2, 2, 1, 1, 6, 0 };
  char command = 0;
  for (;;) {
    while (isspace((unsigned char)*at) || *at == ',')
      at++;
    if (*at == '"')
      return true;
    if (isalpha((unsigned char)*at))
      command = *at++;
    else if (toupper((unsigned char)command) == 'Z')
      return false;
    const char *letter = command ? strchr(letters, toupper((unsigned char)command)) : NULL;
    double numbers[6] = { 0 }, x = 0, y = 0;
    if (!letter || !read_numbers(&at, counts[letter - letters], numbers))
      return false;
    if (islower((unsigned char)command))
      cairo_get_current_point(cairo, &x, &y);
    draw_step(cairo, *letter, numbers, x, y);
    if (*letter == 'M') /* further pairs are lines */
      command = command == 'M' ? 'L' : 'l';
  }
}

static bool
write_picture(const char *svg, int size, const char *path)
{
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, size, size);
  cairo_t *cairo = cairo_create(surface);
  bool ok = strstr(svg, "<path") != NULL;
  cairo_scale(cairo, (double)size / DRAWN_SIZE, (double)size / DRAWN_SIZE);
  if (strstr(svg, "fill-rule=\"evenodd\""))
    cairo_set_fill_rule(cairo, CAIRO_FILL_RULE_EVEN_ODD);
  for (const char *at = svg; ok && (at = strstr(at, " d=\"")); at += 4) {
    ok = draw_path(cairo, at + 4);
    cairo_fill(cairo);
  }
  ok = ok && cairo_surface_write_to_png(surface, path) == CAIRO_STATUS_SUCCESS;
  cairo_destroy(cairo);
  cairo_surface_destroy(surface);
  return ok;
}

static bool
write_sizes(const char *folder, const char *sizes, const char *file)
{
  static char svg[LONGEST_PATH];
  FILE *stream = fopen(file, "rb");
  size_t length = stream ? fread(svg, 1, sizeof svg - 1, stream) : 0;
  if (stream)
    fclose(stream);
  svg[length] = '\0';
  const char *slash = strrchr(file, '/');
  const char *name = slash ? slash + 1 : file;
  int stem = (int)strcspn(name, ".");
  for (const char *at = sizes; length > 0 && *at; at += strspn(at, ",")) {
    char path[4096];
    int size = (int)strtol(at, (char **)&at, 10);
    snprintf(path, sizeof path, "%s/%.*s-%d.symbolic.png", folder, stem, name, size);
    if (size < 1 || !write_picture(svg, size, path))
      return false;
  }
  return length > 0;
}

int
main(int argc, char **argv)
{
  if (argc < 4) {
    fprintf(stderr, "usage: symbolic-png FOLDER SIZE[,SIZE...] FILE.svg...\n");
    return 2;
  }
  for (int i = 3; i < argc; i++)
    if (!write_sizes(argv[1], argv[2], argv[i])) {
      fprintf(stderr, "symbolic-png: %s cannot be drawn: see the head of symbolic-png.c for what it knows\n", argv[i]);
      return 1;
    }
  return 0;
}
