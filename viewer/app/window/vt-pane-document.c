/* SPDX-License-Identifier: MIT */
#include "window/vt-pane-document.h"

#include <math.h>

#include "base/vt-define.h"
#include "common/vt-scale.h"
#include "common/vt-translate.h"
#include "panels/vt-tables.h"
#include "run/vt-roi-sets.h"

#define AROUND 1.12 /* a region's picture is so much larger than the region */

/* --- panels --- */

static void
add_sentence(GString *text, const char *sentence)
{
  if (sentence && *sentence)
    g_string_append_printf(text, "%s%s", text->len ? " · " : "", sentence);
}

/* What a reader would be misled without. */
static char *
dup_caution(VtPane *self, const VtShot *shot)
{
  const VtColourSettings *colour = vt_canvas_get_colour(vt_pane_get_canvas(self));
  GString *text = g_string_new(NULL);
  g_autofree char *of_result = vt_analysis_dup_caution(vt_pane_get_analysis(self));
  add_sentence(text, of_result);
  if (vt_canvas_has_film(vt_pane_get_canvas(self)))
    add_sentence(text, _("Replay, not a result"));
  if (colour->brightness != 0 || colour->contrast != 0 || colour->gamma != 1)
    add_sentence(text,
                 _("Brightness, contrast or gamma are changed for the eye only; the analysis sees the slide as it "
                   "was scanned"));
  if (shot->n_unread > 0) {
    g_autofree char *unread =
      g_strdup_printf(g_dngettext(NULL, "%u tile of the slide cannot be read: it is hatched",
                                  "%u tiles of the slide cannot be read: they are hatched", shot->n_unread),
                      shot->n_unread);
    add_sentence(text, unread);
  }
  return g_string_free(text, text->len == 0);
}

/* "CMU-1.svs · middle at 12,345, 23,456 px · 20× · 0.25 µm a pixel of this picture". On paper a magnification would be that of no screen. */
static char *
dup_place(VtPane *self, const VtShot *shot, gboolean is_on_screen)
{
  const VtViewport *view = &shot->view;
  VtSlide *slide = vt_pane_get_slide(self);
  const double on_screen =
    view->downsample * shot->scale / gtk_widget_get_scale_factor(GTK_WIDGET(vt_pane_get_canvas(self)));
  double mpp, mpp_y;
  const gboolean calibrated = vt_slide_get_mpp(slide, &mpp, &mpp_y);
  g_autofree char *magnification = vt_scale_dup_magnification(mpp, vt_slide_get_objective_power(slide), on_screen);
  g_autofree char *zoom = is_on_screen ? g_strdup_printf("  ·  %s", magnification) : g_strdup("");
  g_autofree char *turn = vt_scale_dup_turn(view->angle, view->mirrored);
  g_autofree char *pixel = calibrated ? g_strdup_printf(_("%.4g µm a pixel of this picture"), view->downsample * mpp)
                                      : g_strdup_printf(_("%.4g pixels of the slide a pixel of this picture, which has "
                                                          "no pixel size"),
                                                        view->downsample);
  return g_strdup_printf(_("%s  ·  middle at x %'.0f, y %'.0f px%s%s  ·  %s"), vt_slide_get_name(slide),
                         view->centre_x_l0, view->centre_y_l0, zoom, turn, pixel);
}

/* char*: "Threshold 0.10 OD", as the shown result was made. */
static GPtrArray *
list_parameters(VtPane *self, const char **analysis)
{
  GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
  const VtResult *shown = vt_analysis_get_shown(vt_pane_get_analysis(self));
  *analysis = shown ? vt_translate(shown->op->title) : NULL;
  for (guint i = 0; shown && i < shown->op->n_params; i++) {
    const VitrailParam *param = shown->op->params[i];
    g_autofree char *value = param->type == VITRAIL_PARAM_BOOL
                               ? g_strdup(shown->params->values[i][0] != 0 ? _("yes") : _("no"))
                               : vt_params_dup_shown(shown->params, i);
    g_ptr_array_add(list, g_strdup_printf("%s %s", vt_translate(param->title), value));
  }
  return list;
}

static char *
dup_parameters(VtPane *self)
{
  const char *analysis = NULL;
  g_autoptr(GPtrArray) list = list_parameters(self, &analysis);
  if (!analysis)
    return NULL;
  g_ptr_array_add(list, NULL);
  g_autofree char *all = g_strjoinv(" · ", (char **)list->pdata);
  return g_strdup_printf("%s: %s", analysis, all);
}

VtPanel *
vt_pane_new_panel(VtPane *self, VtShot *shot, gboolean is_on_screen)
{
  VtPanel *panel = g_new0(VtPanel, 1);
  double mpp_y;
  panel->shot = shot;
  vt_slide_get_mpp(vt_pane_get_slide(self), &panel->mpp, &mpp_y);
  panel->legend = vt_canvas_list_legend(vt_pane_get_canvas(self));
  panel->place = dup_place(self, shot, is_on_screen);
  panel->parameters = dup_parameters(self);
  panel->caution = dup_caution(self, shot);
  return panel;
}

/* --- reports --- */

GPtrArray *
vt_pane_dup_report_rois(VtPane *self)
{
  g_autoptr(GPtrArray) selected = vt_roi_table_dup_selected_areas(vt_pane_get_roi_table(self));
  GPtrArray *rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  for (guint i = 0; i < selected->len; i++)
    g_ptr_array_add(rois, vt_roi_copy(vt_roi_item_get_roi(selected->pdata[i])));
  return rois;
}

static void
get_paper(double *width, double *height)
{
  GtkPaperSize *paper = gtk_paper_size_new(gtk_paper_size_get_default());
  const gboolean is_letter = g_str_equal(gtk_paper_size_get_name(paper), GTK_PAPER_NAME_LETTER);
  *width = is_letter ? 8.5 * 96 : 210 / 25.4 * 96;
  *height = is_letter ? 11.0 * 96 : 297 / 25.4 * 96;
  gtk_paper_size_free(paper);
}

static void
get_bounds(const GPtrArray *rois, double box[4])
{
  box[0] = box[1] = INFINITY;
  box[2] = box[3] = -INFINITY;
  for (guint i = 0; i < rois->len; i++) {
    double x, y, width, height;
    vt_roi_get_bounds(rois->pdata[i], &x, &y, &width, &height);
    box[0] = MIN(box[0], x);
    box[1] = MIN(box[1], y);
    box[2] = MAX(box[2], x + width);
    box[3] = MAX(box[3], y + height);
  }
}

VtViewport
vt_pane_get_report_view(VtPane *self, const GPtrArray *rois, double *scale)
{
  const VtViewport *seen = vt_canvas_get_view(vt_pane_get_canvas(self));
  VtViewport view = *seen;
  double paper_width, paper_height;
  get_paper(&paper_width, &paper_height);
  const double width = paper_width - 2 * VT_REPORT_MARGIN, height = paper_height * VT_REPORT_PICTURE_PART;
  *scale = VT_REPORT_PIXELS;
  if (rois->len > 0) {
    double box[4];
    get_bounds(rois, box);
    view.width_px = round(width * *scale);
    view.height_px = round(height * *scale);
    vt_viewport_fit(&view, (box[2] - box[0]) * AROUND, (box[3] - box[1]) * AROUND);
    view.centre_x_l0 = (box[0] + box[2]) / 2;
    view.centre_y_l0 = (box[1] + box[3]) / 2;
    return view;
  }
  const double factor = MIN(width / seen->width_px, height / seen->height_px) * *scale;
  view.width_px = round(seen->width_px * factor);
  view.height_px = round(seen->height_px * factor);
  view.downsample /= factor;
  return view;
}

VtRoi *
vt_pane_new_view_roi(VtPane *self)
{
  const VtViewport *view = vt_canvas_get_view(vt_pane_get_canvas(self));
  gint64 width, height;
  double corners[8];
  for (int i = 0; i < 4; i++)
    vt_viewport_to_l0(view, i == 1 || i == 2 ? view->width_px : 0, i >= 2 ? view->height_px : 0, &corners[2 * i],
                      &corners[2 * i + 1]);
  vt_slide_get_level_size(vt_pane_get_slide(self), 0, &width, &height);
  g_autoptr(VtRoi) seen = vt_roi_new_polygon(_("What is seen"), corners, 4);
  g_autoptr(VtRoi) slide = vt_roi_new_rectangle(NULL, 0, 0, (double)width, (double)height);
  return vt_roi_combine(seen, slide, VT_ROI_INTERSECTION, NULL);
}

static void
add_seen(VtPane *self, GPtrArray *rois)
{
  g_autoptr(VtRoi) view = vt_pane_new_view_roi(self);
  GListModel *list = vt_regions_get_areas(vt_pane_get_regions(self));
  if (!view)
    return;
  VT_EACH_ITEM (VtRoiItem, item, list)
    if (vt_rois_overlap(view, vt_roi_item_get_roi(item)))
      g_ptr_array_add(rois, vt_roi_copy(vt_roi_item_get_roi(item)));
  g_ptr_array_insert(rois, 0, g_steal_pointer(&view));
}

/* The picture may reach beyond what was analysed: what is not outlined there was not looked at. And the result beyond the picture. */
static void
compare_with_view(VtSlide *slide, const VtResult *result, const VtViewport *view, gboolean *is_analysed,
                  gboolean *is_seen)
{
  gint64 slide_width, slide_height, x, y, width, height;
  double mpp, mpp_y;
  const gboolean calibrated = vt_slide_get_mpp(slide, &mpp, &mpp_y);
  const gint64 edge = (gint64)ceil(2 * result->used_pixel_size / (calibrated ? mpp : 1)); /* of the analysis grid */
  const guint n = result->parts ? result->parts->len : 1;
  vt_slide_get_level_size(slide, 0, &slide_width, &slide_height);
  *is_analysed = *is_seen = TRUE;
  if (!vt_viewport_get_visible_l0(view, slide_width, slide_height, &x, &y, &width, &height))
    return;
  *is_analysed = FALSE;
  for (guint i = 0; i < n; i++) {
    const VtResult *part = result->parts ? result->parts->pdata[i] : result;
    const gint64 right = part->x_l0 + part->width_l0, bottom = part->y_l0 + part->height_l0;
    *is_analysed |=
      x >= part->x_l0 - edge && y >= part->y_l0 - edge && x + width <= right + edge && y + height <= bottom + edge;
    *is_seen &=
      part->x_l0 >= x - edge && part->y_l0 >= y - edge && right <= x + width + edge && bottom <= y + height + edge;
  }
}

static void
add_limits(VtPane *self, VtReport *report, const VtResult *shown, gboolean is_of_regions)
{
  VtPanel *panel = report->panel;
  gboolean is_analysed = TRUE, is_seen = TRUE;
  if (shown)
    compare_with_view(vt_pane_get_slide(self), shown, &panel->shot->view, &is_analysed, &is_seen);
  if (!is_analysed) {
    g_autofree char *former = panel->caution;
    panel->caution =
      g_strdup_printf("%s%s%s", former ? former : "", former ? " · " : "", _("Not all of this picture was analysed"));
  }
  if (report->plot && (is_of_regions || !is_seen)) {
    g_autofree char *former = report->plot_note;
    report->plot_note =
      g_strdup_printf("%s · %s", former,
                      is_of_regions ? _("the plot is of the whole result, also of what lies beside the regions")
                                    : _("the plot is of the whole result, also of what lies beside the picture"));
  }
}

static const char *
get_member(JsonObject *object, const char *name)
{
  return object && json_object_has_member(object, name) && JSON_NODE_HOLDS_VALUE(json_object_get_member(object, name))
           ? json_object_get_string_member_with_default(object, name, "")
           : "";
}

static JsonObject *
get_part(JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member(object, name);
  return node && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

/* What gives the objects their classes. */
static void
add_classes(GString *text, const VtClassified *classified)
{
  const VtClassifier *by = classified->taught ? classified->taught->classifier : classified->classifier;
  if (by)
    g_string_append_printf(text, _("\nClasses by the model %s"), by->hash);
  if (classified->intensity.n > 0) {
    g_autofree char *thresholds = vt_intensity_to_text(&classified->intensity);
    g_string_append_printf(text, _("\nClasses by thresholds: %s"), thresholds);
  }
  for (guint i = 0; classified->gates && i < classified->gates->len; i++)
    g_string_append_printf(text, i == 0 ? _("\nClasses by gates: %s = %s") : "  ·  %s = %s",
                           ((const VtModelClass *)classified->list->pdata[i])->name,
                           (const char *)classified->gates->pdata[i]);
}

/* What it takes to make the same again, of the record of the run. Hashes of several regions' runs are in the exported record. */
static char *
dup_record(VtPane *self, const VtResult *shown, const VtClassified *classified)
{
  GString *text = g_string_new(NULL);
  g_autofree char *hash = vt_slide_dup_hash(vt_pane_get_slide(self));
  g_autoptr(GDateTime) now = g_date_time_new_now_local();
  g_autofree char *date = g_date_time_format(now, "%F %R %z");
  const char *kind = hash && g_str_has_prefix(hash, "sha256:") ? "" : "quickhash-1 ";
  g_string_append_printf(text, _("Vitrail %s  ·  page made %s  ·  slide %s, %s%s"), VT_VERSION, date,
                         vt_slide_get_name(vt_pane_get_slide(self)), kind, hash ? hash : "–");
  if (shown && shown->record) {
    JsonObject *record = json_node_get_object(shown->record), *plugin = get_part(record, "plugin");
    g_string_append_printf(text, _("\nRun %s  ·  plugin %s %s  ·  analysis %s  ·  backend %s, %s  ·  request %s"),
                           get_member(record, "date"), get_member(plugin, "id"), get_member(plugin, "version"),
                           get_member(record, "op"), shown->backend ? shown->backend : "–",
                           shown->device ? shown->device : "–",
                           *get_member(record, "request") ? get_member(record, "request") : _("one for each region"));
    if (shown->used_pixel_size > 0)
      g_string_append_printf(text, shown->calibrated ? _("  ·  %.4g µm/px") : _("  ·  every %.4g px"),
                             shown->used_pixel_size);
    for (guint i = 0; i < shown->warnings->len; i++)
      g_string_append_printf(text, "  ·  %s", (const char *)shown->warnings->pdata[i]);
  }
  if (classified)
    add_classes(text, classified);
  return g_string_free(text, FALSE);
}

static char *
dup_title(VtPane *self, const GPtrArray *rois)
{
  const char *name = vt_slide_get_name(vt_pane_get_slide(self));
  if (rois->len == 0)
    return g_strdup_printf(_("%s: what is seen"), name);
  if (rois->len > 1)
    return g_strdup_printf(g_dngettext(NULL, "%s: %u region", "%s: %u regions", rois->len), name, rois->len);
  const VtRoi *roi = rois->pdata[0];
  return g_strdup_printf("%s: %s%s%s", name, roi->name ? roi->name : "", roi->class_name ? " · " : "",
                         roi->class_name ? roi->class_name : "");
}

VtReport *
vt_pane_new_report(VtPane *self, VtShot *shot, GPtrArray *rois)
{
  VtReport *report = g_new0(VtReport, 1);
  VtResult *shown = vt_analysis_get_shown(vt_pane_get_analysis(self));
  const char *analysis = NULL;
  const gboolean is_of_regions = rois->len > 0;
  report->classified = shown ? vt_tables_classify(vt_pane_get_tables(self), shown) : NULL;
  get_paper(&report->paper_width, &report->paper_height);
  report->title = dup_title(self, rois);
  if (rois->len == 0)
    add_seen(self, rois);
  report->rois = rois;
  report->panel = vt_pane_new_panel(self, shot, FALSE);
  report->subtitle = g_strdup(report->panel->place);
  vt_slide_get_mpp(vt_pane_get_slide(self), &report->mpp_x, &report->mpp_y);
  report->objects = shown && shown->objects ? vt_result_ref(shown) : NULL;
  report->plot = vt_plot_panel_record(vt_tables_get_plot(vt_pane_get_tables(self)), &report->plot_width,
                                      &report->plot_height, &report->plot_note);
  add_limits(self, report, shown, is_of_regions);
  report->parameters = list_parameters(self, &analysis);
  report->analysis = g_strdup(analysis);
  report->record = dup_record(self, shown, report->classified);
  return report;
}
