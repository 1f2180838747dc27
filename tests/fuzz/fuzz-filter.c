/* SPDX-License-Identifier: MIT
 *
 * What a person types to filter objects: a filter that answers, or a sentence with a place inside the text. */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "layers/vt-object-filter.h"

static const char *const names[] = { "Nucleus: Area µm^2", "Nucleus: Stain OD mean", "Nucleus: Stain OD max" };
static const char *const classes[] = { "Tumour", "Not a nucleus", NULL };

size_t
vt_fuzz_seed(unsigned index, uint8_t *data)
{
  static const char *const seeds[] = {
    "area > 40 and \"stain od mean\" < 0.3",
    "not (area = 1) or x - 500 >= y * 2",
    "!!!(1)",
    "-(-(2)) / 0 != number",
    "stain",
    "\"µ",
    "class = tumour and class != \"not a nucleus\"",
    "polygon(log area, \"stain od mean\"; 1 -2; 3e2 0.4; 5 6)",
    "gates = \"a \"\"b\"\"\" or gate != c",
  };
  if (index >= G_N_ELEMENTS(seeds))
    return 0;
  memcpy(data, seeds[index], strlen(seeds[index]));
  return strlen(seeds[index]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const double values[] = { 50, 0.25, NAN };
  const VtObject object = { .id = 1, .n_measurements = 3, .measurements = values, .measurement_names = names };
  g_autoptr(GError) error = NULL;
  g_autofree char *text = g_strndup((const char *)data, size);
  g_autoptr(GPtrArray) objects = g_ptr_array_new();
  g_ptr_array_add(objects, (gpointer)&object);
  static const char *const gates[] = { "a \"b\"", "c", NULL };
  g_autoptr(VtColumn) one = vt_column_new("Classification", "Class", objects, g_new0(double, 1), classes);
  g_autoptr(VtColumn) sets = vt_column_new_sets("Gates", "Gates", objects, gates);
  VtColumn *added[] = { one, sets };
  g_autoptr(VtColumns) columns = vt_columns_new(objects, NULL, added, 2);
  g_autoptr(VtObjectFilter) filter = vt_object_filter_new(text, columns, &error);
  vt_fuzz_check((filter == NULL) == (error != NULL), "neither a filter nor an error, or both", text);
  if (error)
    vt_fuzz_check(g_utf8_validate(error->message, -1, NULL) && *error->message, "no sentence", text);
  else
    vt_object_filter_passes(filter, objects, 0);
  return 0;
}
