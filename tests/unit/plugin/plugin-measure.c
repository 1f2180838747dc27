/* SPDX-License-Identifier: MIT
 *
 * Measures of objects, against slow definitions and figures whose measures are known; numbers of recipes, wherever the program runs. */
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/expression.h"
#include "steps/measure.h"
#include "test-draw.h"
#include "vt-test.h"

enum { MOST = 160, LABEL = 3 };

static int32_t labels[MOST][MOST];
static uint16_t values[MOST][MOST];
static int width, height;

static bool
in(int x, int y)
{
  return x >= 0 && y >= 0 && x < width && y < height && labels[y][x] == LABEL;
}

static void
clear(int w, int h)
{
  width = w;
  height = h;
  memset(labels, 0, sizeof labels);
}

static VtObjectMeasures
measure(void)
{
  VtRun run = { 0 };
  VtOutline outline = { 0 };
  VtObjectMeasures m = { 0 };
  const VtImage part = { labels, width, height, sizeof labels[0], VITRAIL_I32 },
                image = { values, width, height, sizeof values[0], VITRAIL_U16 };
  const bool done = vt_outline_trace(&run, &part, LABEL, (VtRect){ 0, 0, width, height }, &outline) == VITRAIL_OK
                    && vt_measure_object(&part, LABEL, &outline, &image, &m);
  vt_outline_clear(&outline);
  if (!done)
    m.perimeter = NAN;
  return m;
}

/* Crofton's formula as a sum over all squares of 2 x 2 pixels, by what is set in them: at how many of the four directions' lines
 * through it the object begins. */
static double
slow_perimeter(void)
{
  double sum = 0;
  for (int y = 0; y <= height; y++)
    for (int x = 0; x <= width; x++) {
      const bool a = in(x - 1, y - 1), b = in(x, y - 1), c = in(x - 1, y), d = in(x, y);
      sum += ((!c && d) + (!b && d)) + ((!a && d) + (!b && c)) / sqrt(2);
    }
  return sum * acos(-1) / 4;
}

typedef struct {
  double hull_area, longest, narrowest;
} Slow;

/* Every two corners whose line has all others on one side span an edge of the hull. */
static Slow
slow_hull(void)
{
  static int corners[(MOST + 1) * (MOST + 1)][2];
  Slow slow = { 0, 0, INFINITY };
  int n = 0;
  for (int y = 0; y <= height; y++)
    for (int x = 0; x <= width; x++)
      if (in(x - 1, y - 1) || in(x, y - 1) || in(x - 1, y) || in(x, y)) {
        corners[n][0] = x;
        corners[n++][1] = y;
      }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      const int dx = corners[k][0] - corners[i][0], dy = corners[k][1] - corners[i][1];
      const double length = hypot(dx, dy);
      double farthest = 0;
      bool is_edge = i != k, is_whole = true;
      slow.longest = fmax(slow.longest, length);
      for (int j = 0; j < n && is_edge; j++) {
        const int ex = corners[j][0] - corners[i][0], ey = corners[j][1] - corners[i][1];
        const int cross = dx * ey - dy * ex, dot = dx * ex + dy * ey;
        is_edge = cross >= 0;
        is_whole &= cross != 0 || (dot >= 0 && dot <= dx * dx + dy * dy);
        farthest = fmax(farthest, cross / length);
      }
      if (is_edge && is_whole)
        slow.hull_area += 0.5 * (corners[i][0] * corners[k][1] - corners[k][0] * corners[i][1]);
      if (is_edge)
        slow.narrowest = fmin(slow.narrowest, farthest);
    }
  return slow;
}

static bool
near(double a, double b)
{
  return fabs(a - b) <= 1e-9 * (1 + fabs(b));
}

static bool
agrees(const VtObjectMeasures *m)
{
  double n = 0, x_mean = 0, y_mean = 0, xx = 0, yy = 0, xy = 0, sum = 0, squares = 0, min = 1e9, max = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) {
        if (!in(x, y))
          continue;
        if (pass == 0) {
          n++;
          x_mean += x;
          y_mean += y;
          sum += values[y][x];
          min = fmin(min, values[y][x]);
          max = fmax(max, values[y][x]);
          continue;
        }
        xx += (x - x_mean / n) * (x - x_mean / n);
        yy += (y - y_mean / n) * (y - y_mean / n);
        xy += (x - x_mean / n) * (y - y_mean / n);
        squares += (values[y][x] - sum / n) * (values[y][x] - sum / n);
      }
  const double root = sqrt((xx - yy) * (xx - yy) / 4 + xy * xy), most = (xx + yy) / 2 + root,
               least = (xx + yy) / 2 - root;
  const double eccentricity = most > 0 ? sqrt(fmax(0, 1 - least / most)) : 0;
  const Slow slow = slow_hull();
  const double perimeter = slow_perimeter();
  return near(m->perimeter, perimeter) && near(m->circularity, fmin(1, 4 * acos(-1) * n / (perimeter * perimeter)))
         && fabs(m->eccentricity - eccentricity) < 1e-6 && near(m->solidity, n / slow.hull_area)
         && near(m->max_caliper, slow.longest) && near(m->min_caliper, slow.narrowest) && m->sum == sum && m->min == min
         && m->max == max && near(m->std, n > 1 ? sqrt(squares / (n - 1)) : 0);
}

static void
check_random(void)
{
  int n_wrong = 0;
  for (int round = 0; round < 400; round++) {
    clear(1 + (int)pick(9), 1 + (int)pick(9));
    const uint32_t density = 1 + pick(4);
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) {
        labels[y][x] = pick(density) ? 0 : pick(5) ? LABEL : 7;
        values[y][x] = (uint16_t)pick(65536);
      }
    labels[pick((uint32_t)height)][pick((uint32_t)width)] = LABEL;
    const VtObjectMeasures m = measure();
    n_wrong += !agrees(&m);
  }
  vt_ok(n_wrong == 0, "400 drawn objects, with holes and in pieces: %d are not as defined", n_wrong);
}

static void
fill(double (*inside)(double x, double y, double r), double r)
{
  clear(150, 150);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      labels[y][x] = inside(x + 0.5 - 75.3, y + 0.5 - 74.6, r) > 0 ? LABEL : 0;
}

static double
disc(double x, double y, double r)
{
  return r * r - x * x - y * y;
}

static double
ellipse(double x, double y, double r)
{
  return r * r - x * x - 4 * y * y;
}

static double
square(double x, double y, double r)
{
  return r - fmax(fabs(x), fabs(y));
}

static void
check_figures(void)
{
  bool round = true;
  for (double r = 8; r <= 64; r *= 2) {
    fill(disc, r);
    const VtObjectMeasures m = measure();
    round = round && fabs(m.perimeter / (2 * acos(-1) * r) - 1) < 0.015 && m.circularity > 0.97 && m.eccentricity < 0.2
            && m.solidity > 0.9 && fabs(m.max_caliper - 2 * r) < 1.5 && fabs(m.min_caliper - 2 * r) < 1.5;
    printf(
      "# r %g: perimeter %.4f of 2 pi r, circularity %.4f, eccentricity %.3f, solidity %.3f, calipers %.2f, %.2f\n", r,
      m.perimeter / (2 * acos(-1) * r), m.circularity, m.eccentricity, m.solidity, m.max_caliper, m.min_caliper);
  }
  vt_ok(round, "discs are round, of their perimeter and caliper, at 8 to 64 pixels");
  fill(ellipse, 60);
  VtObjectMeasures m = measure();
  vt_ok(fabs(m.eccentricity - sqrt(0.75)) < 0.005 && fabs(m.max_caliper - 120) < 1.5 && fabs(m.min_caliper - 60) < 1.5,
        "an ellipse of 2 : 1: eccentricity %.4f, calipers %.1f and %.1f", m.eccentricity, m.max_caliper, m.min_caliper);
  fill(square, 20);
  m = measure();
  vt_ok(m.solidity == 1 && m.min_caliper == 40 && near(m.max_caliper, 40 * sqrt(2)), "a square");
  clear(1, 1);
  labels[0][0] = LABEL;
  values[0][0] = 9;
  m = measure();
  vt_ok(m.solidity == 1 && m.eccentricity == 0 && m.std == 0 && m.sum == 9 && m.max_caliper == sqrt(2), "one pixel");
}

static bool
find_nothing(void *user, const char *name, const char *argument, VtExpressionValue *value)
{
  (void)user, (void)name, (void)argument, (void)value;
  return false;
}

/* A point in a recipe is a point in a country of decimal commas, too. */
static void
check_commas(void)
{
  char folder[] = "/tmp/vitrail-locale-XXXXXX", command[200];
  static VtScope scope = { .find = find_nothing };
  VtExpressionValue value = { 0 };
  if (!mkdtemp(folder))
    return;
  snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder);
  setenv("LOCPATH", folder, 1);
  if (system(command) == 0 && setlocale(LC_NUMERIC, "de_DE.UTF-8")) {
    const VitrailStatus status = vt_expression(&scope, "number('2.5e+1') + number('0.25') * 1.5", &value);
    vt_ok(status == VITRAIL_OK && value.number == 25.375, "decimal commas of a locale are not those of a recipe: %g",
          value.number);
    setlocale(LC_NUMERIC, "C");
  } else {
    vt_skip("decimal commas", "no German locale can be made here");
  }
  unsetenv("LOCPATH");
  snprintf(command, sizeof command, "rm -r %s", folder);
  vt_ok(system(command) == 0, "the locale is removed");
}

int
main(void)
{
  check_random();
  check_figures();
  check_commas();
  return vt_test_done();
}
