/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "batch.h"
#include "base/vt-json.h"
#include "run/vt-stains.h"

/* The member or label that a hash has; *digits: without it. */
static const char *
name_hash(const char *hash, const char **digits)
{
  const gboolean is_sha256 = g_str_has_prefix(hash, "sha256:");
  *digits = is_sha256 ? hash + strlen("sha256:") : hash;
  return is_sha256 ? "sha256" : "quickhash-1";
}

static void
print_text(VtSlide *slide)
{
  gint64 width = 0, height = 0;
  double mpp[2] = { 0 };
  g_autofree char *hash = vt_slide_dup_hash(slide);
  g_autoptr(GString) text = g_string_new(NULL);
  vt_slide_get_level_size(slide, 0, &width, &height);
  g_string_append_printf(text,
                         "%s\n  vendor          %s\n  size            %" G_GINT64_FORMAT " × %" G_GINT64_FORMAT " px\n",
                         vt_slide_get_name(slide), vt_slide_get_vendor(slide), width, height);
  if (vt_slide_get_mpp(slide, &mpp[0], &mpp[1])) {
    g_string_append(text, "  pixel size      ");
    vt_text_append_doubles(text, " × ", 2, mpp);
    g_string_append(text, " µm\n");
  } else {
    g_string_append(text, "  pixel size      uncalibrated\n");
  }
  if (vt_slide_get_objective_power(slide) > 0)
    g_string_append_printf(text, "  objective       %g×\n", vt_slide_get_objective_power(slide));
  const char *digits, *label = name_hash(hash, &digits);
  g_string_append_printf(text, "  %-15s %s\n", label, digits);
  for (int i = 0; i < vt_slide_get_n_levels(slide); i++) {
    vt_slide_get_level_size(slide, i, &width, &height);
    g_string_append_printf(text, "  level %-2d        %" G_GINT64_FORMAT " × %" G_GINT64_FORMAT ", 1:", i, width,
                           height);
    vt_text_append_double(text, vt_slide_get_level_downsample(slide, i));
    g_string_append(text, i < vt_slide_get_n_stored_levels(slide) ? "\n" : " (made from the level before)\n");
  }
  fputs(text->str, stdout);
}

static void
add_levels(JsonBuilder *builder, VtSlide *slide)
{
  vt_json_begin_array(builder, "levels");
  for (int i = 0; i < vt_slide_get_n_levels(slide); i++) {
    gint64 width = 0, height = 0;
    vt_slide_get_level_size(slide, i, &width, &height);
    json_builder_begin_object(builder);
    vt_json_add_int(builder, "width", width);
    vt_json_add_int(builder, "height", height);
    vt_json_add_double(builder, "downsample", vt_slide_get_level_downsample(slide, i));
    vt_json_add_boolean(builder, "stored", i < vt_slide_get_n_stored_levels(slide));
    json_builder_end_object(builder);
  }
  json_builder_end_array(builder);
}

static void
add_mpp(JsonBuilder *builder, VtSlide *slide)
{
  const double power = vt_slide_get_objective_power(slide);
  double mpp[2] = { 0 };
  if (vt_slide_get_mpp(slide, &mpp[0], &mpp[1]))
    vt_json_add_doubles(builder, "mpp", 2, mpp);
  else
    vt_json_add_string(builder, "mpp", NULL);
  vt_json_add_double(builder, "objective-power", power > 0 ? power : NAN);
}

static void
print_json(VtSlide *slide)
{
  g_autoptr(JsonBuilder) builder = json_builder_new();
  g_autofree char *hash = vt_slide_dup_hash(slide);
  g_autofree char *path = vt_path_dup_text(vt_slide_get_path(slide));
  gint64 width = 0, height = 0;
  vt_slide_get_level_size(slide, 0, &width, &height);
  json_builder_begin_object(builder);
  vt_json_add_string(builder, "name", vt_slide_get_name(slide));
  vt_json_add_string(builder, "path", path);
  vt_json_add_string(builder, "vendor", vt_slide_get_vendor(slide));
  const char *digits, *label = name_hash(hash, &digits);
  vt_json_add_string(builder, label, digits);
  vt_json_add_int(builder, "width", width);
  vt_json_add_int(builder, "height", height);
  add_mpp(builder, slide);
  add_levels(builder, slide);
  vt_json_begin_object(builder, "properties");
  for (const char *const *name = vt_slide_get_property_names(slide); *name; name++) {
    vt_json_add_string(builder, *name, vt_slide_get_property(slide, *name));
  }
  json_builder_end_object(builder);
  json_builder_end_object(builder);
  g_autoptr(JsonNode) root = json_builder_get_root(builder);
  batch_print_json(root);
}

/* As `run` takes them. */
static void
print_numbers(const char *key, const double *v, guint n)
{
  g_autoptr(GString) text = g_string_new(NULL);
  vt_text_append_doubles(text, ",", n, v);
  printf("--set %s=%s\n", key, text->str);
}

static int
print_stains(VtSlide *slide, gboolean strengths)
{
  g_autoptr(GError) error = NULL;
  VtStains stains;
  if (!vt_stains_estimate(slide, NULL, &stains, &error))
    return batch_fail(BATCH_FAILED, "%s: %s", vt_slide_get_name(slide), error->message);
  print_numbers("hematoxylin", stains.hematoxylin, 3);
  print_numbers("eosin", stains.other, 3);
  print_numbers("white", stains.white, 3);
  if (strengths) {
    print_numbers("hematoxylin-strength", &stains.strengths[0], 1);
    print_numbers("eosin-strength", &stains.strengths[1], 1);
  }
  return BATCH_DONE;
}

int
batch_info(int argc, char **argv)
{
  gboolean as_json = FALSE, stains = FALSE, strengths = FALSE;
  int status = BATCH_DONE;
  g_autoptr(GError) error = NULL;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &as_json, "Print JSON", NULL },
    { "stains", 0, 0, G_OPTION_ARG_NONE, &stains,
      "Print the stains and the glass that the slide's colours tell of, as options of run", NULL },
    { "strengths", 0, 0, G_OPTION_ARG_NONE, &strengths,
      "The same, with the strengths of the stains: as options of run normalize", NULL },
    { NULL },
  };
  if (!batch_parse(&argc, &argv, "SLIDE", "Says what a slide is.", entries, &status))
    return status;
  if (argc != 2)
    return batch_fail(BATCH_USAGE, "info takes one slide.");
  stains |= strengths;
  g_autoptr(VtSlide) slide = stains ? vt_slide_open_image(argv[1], &error) : vt_slide_open(argv[1], &error);
  if (!slide)
    return batch_fail(BATCH_FAILED, "%s", error->message);
  if (stains)
    return print_stains(slide, strengths);
  if (as_json)
    print_json(slide);
  else
    print_text(slide);
  return BATCH_DONE;
}
