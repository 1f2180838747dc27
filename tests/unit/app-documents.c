/* SPDX-License-Identifier: MIT
 *
 * Documents: files are there whole or not at all, a picture's pixels are those that were drawn, what does not fit on a page is told, and a
 * replay's pictures replace nothing. */
#include "documents/vt-report.h"
#include "documents/vt-sequence.h"
#include "layers/vt-paint.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "host-support.h"

/* Cells of whole lengths, each with a colour of its own. */
enum { WIDTH = 40, HEIGHT = 24, CELL = 4 };

static guint32
get_cell_color(guint col, guint row)
{
  return (guint32)(20 + 23 * col) << 16 | (guint32)(30 + 31 * row) << 8 | (guint32)(col + row) % 7 * 36;
}

/* Four cells again, as squares of pixels over them. */
static GskRenderNode *
make_overlay(void)
{
  const guint32 pixels[] = { get_cell_color(0, 0) | 0xff000000, get_cell_color(1, 0) | 0xff000000,
                             get_cell_color(0, 1) | 0xff000000, get_cell_color(1, 1) | 0xff000000 };
  const graphene_rect_t place = GRAPHENE_RECT_INIT(0, 0, 2 * CELL, 2 * CELL);
  g_autoptr(GBytes) bytes = g_bytes_new(pixels, sizeof pixels);
  g_autoptr(GdkTexture) texture = vt_paint_texture_new(2, 2, bytes, 8);
  GtkSnapshot *snapshot = gtk_snapshot_new();
  vt_paint_pixels(snapshot, texture, bytes, 8, &place, &place, TRUE);
  return gtk_snapshot_free_to_node(snapshot);
}

static VtShot *
make_shot(double scale)
{
  VtShot *shot = g_new0(VtShot, 1);
  GtkSnapshot *snapshot = gtk_snapshot_new();
  for (guint row = 0; row < HEIGHT / CELL; row++) {
    for (guint col = 0; col < WIDTH / CELL; col++) {
      const guint32 rgb = get_cell_color(col, row);
      const GdkRGBA color = { (float)(rgb >> 16 & 255) / 255, (float)(rgb >> 8 & 255) / 255, (float)(rgb & 255) / 255,
                              1 };
      gtk_snapshot_append_color(snapshot, &color,
                                &GRAPHENE_RECT_INIT((float)(col * CELL), (float)(row * CELL), CELL, CELL));
    }
  }
  shot->picture = gtk_snapshot_free_to_node(snapshot);
  shot->overlay = make_overlay();
  shot->view = (VtViewport){ .downsample = 2, .width_px = WIDTH * scale, .height_px = HEIGHT * scale };
  shot->scale = scale;
  return shot;
}

static VtPanel *
make_panel(double scale)
{
  VtPanel *panel = g_new0(VtPanel, 1);
  panel->shot = make_shot(scale);
  panel->mpp = 0.5;
  panel->legend = g_ptr_array_new_with_free_func((GDestroyNotify)vt_legend_line_free);
  panel->place = g_strdup("slide.svs · 20× · here");
  panel->parameters = g_strdup("Nuclei: Threshold 0.10 OD");
  return panel;
}

static GPtrArray *
make_panels(guint n, double scale)
{
  GPtrArray *panels = g_ptr_array_new_with_free_func((GDestroyNotify)vt_panel_free);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add(panels, make_panel(scale));
  return panels;
}

/* Each pixel of the picture is that of its cell. */
static void
assert_cells(cairo_surface_t *image, guint x0, guint y0, guint scale)
{
  const guint8 *data = cairo_image_surface_get_data(image);
  const int stride = cairo_image_surface_get_stride(image);
  for (guint y = 0; y < HEIGHT * scale; y++) {
    const guint32 *row = (const guint32 *)(gconstpointer)(data + (gsize)(y + y0) * (gsize)stride);
    for (guint x = 0; x < WIDTH * scale; x++)
      g_assert_cmphex(row[x + x0] & 0xffffff, ==, get_cell_color(x / scale / CELL, y / scale / CELL));
  }
}

static void
test_pixels(void)
{
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "view.png", NULL);
  for (guint scale = 1; scale <= 4; scale *= 2) {
    g_autoptr(GPtrArray) panels = make_panels(1, scale);
    g_autoptr(GError) error = NULL;
    g_assert_true(vt_picture_save(panels, 0, "t", path, NULL, &error));
    g_assert_no_error(error);
    cairo_surface_t *image = cairo_image_surface_create_from_png(path);
    g_assert_cmpint(cairo_image_surface_get_width(image), ==, WIDTH * scale);
    g_assert_cmpint(cairo_image_surface_get_height(image), ==, HEIGHT * scale);
    assert_cells(image, 0, 0, scale);
    cairo_surface_destroy(image);
    /* With words the picture is the same, and there is white with ink below it. */
    g_assert_true(vt_picture_save(panels, VT_PICTURE_PLACE | VT_PICTURE_PARAMETERS, "t", path, NULL, &error));
    image = cairo_image_surface_create_from_png(path);
    g_assert_cmpint(cairo_image_surface_get_height(image), >, HEIGHT * scale + 20 * scale);
    assert_cells(image, 0, 0, scale);
    cairo_surface_destroy(image);
  }
  g_assert_cmpuint(count_files(folder), ==, 1);
  remove_folder(folder);
}

/* Two rows of two, each as it is alone. */
static void
test_figure(void)
{
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "figure.png", NULL);
  g_autoptr(GPtrArray) panels = make_panels(4, 2);
  g_autofree char *as_svg = g_build_filename(folder, "figure.svg", NULL);
  g_assert_true(vt_picture_save(panels, 0, "t", as_svg, NULL, NULL));
  g_assert_true(vt_picture_save(panels, 0, "t", path, NULL, NULL));
  cairo_surface_t *image = cairo_image_surface_create_from_png(path);
  g_assert_cmpint(cairo_image_surface_get_width(image), ==, 2 * (2 * WIDTH + 8));
  g_assert_cmpint(cairo_image_surface_get_height(image), ==, 2 * (2 * HEIGHT + 8));
  const guint8 *data = cairo_image_surface_get_data(image);
  for (guint i = 0; i < 4; i++) { /* its lower right corner: the letter lies in the other one */
    const guint x = (i % 2 * (WIDTH + 8) + WIDTH) * 2 - 1, y = (i / 2 * (HEIGHT + 8) + HEIGHT) * 2 - 1;
    const guint32 *row =
      (const guint32 *)(gconstpointer)(data + (gsize)y * (gsize)cairo_image_surface_get_stride(image));
    g_assert_cmphex(row[x] & 0xffffff, ==, get_cell_color(WIDTH / CELL - 1, HEIGHT / CELL - 1));
  }
  cairo_surface_destroy(image);
  remove_folder(folder);
}

/* --- files --- */

static void
assert_refused(const char *path, const char *pattern)
{
  g_autoptr(GPtrArray) panels = make_panels(1, 1);
  g_autoptr(GError) error = NULL;
  g_assert_false(vt_picture_save(panels, VT_PICTURE_ALL, "t", path, NULL, &error));
  g_assert_nonnull(error);
  g_test_message("%s", error->message);
  g_assert_true(g_pattern_match_simple(pattern, error->message));
}

static void
test_refusals(void)
{
  g_autofree char *folder = make_folder(), *wrong = g_build_filename(folder, "view.jpg", NULL);
  g_autofree char *nowhere = g_build_filename(folder, "not", "there.png", NULL);
  assert_refused(wrong, "*must end in .png, .pdf or .svg*");
  assert_refused(nowhere, "*cannot be written: No such file or directory.");
  g_assert_cmpuint(count_files(folder), ==, 0);
  remove_folder(folder);
}

/* As on a full disk: what was there stays as it was. */
static void
test_full(gconstpointer ending)
{
  g_autofree char *folder = make_folder(), *name = g_strconcat("view", ending, NULL);
  g_autofree char *path = g_build_filename(folder, name, NULL), *before = NULL;
  struct rlimit old, few;
  g_assert_true(g_file_set_contents(path, "of before", -1, NULL));
  g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &old), ==, 0);
  few = old;
  few.rlim_cur = 100;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &few);
  assert_refused(path, "*cannot be written: File too large.");
  setrlimit(RLIMIT_FSIZE, &old);
  g_assert_true(g_file_get_contents(path, &before, NULL, NULL));
  g_assert_cmpstr(before, ==, "of before");
  g_assert_cmpuint(count_files(folder), ==, 1);
  remove_folder(folder);
}

static void
test_cancelled(void)
{
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "view.pdf", NULL);
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_autoptr(GPtrArray) panels = make_panels(2, 1);
  g_autoptr(GError) error = NULL;
  g_cancellable_cancel(cancellable);
  g_assert_false(vt_picture_save(panels, VT_PICTURE_ALL, "t", path, cancellable, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint(count_files(folder), ==, 0);
  remove_folder(folder);
}

/* --- reports --- */

static VtReport *
make_report(guint n_regions)
{
  VtReport *report = g_new0(VtReport, 1);
  report->paper_width = 794;
  report->paper_height = 1123;
  report->title = g_strdup("slide.svs: Tumour");
  report->subtitle = g_strdup("20×");
  report->panel = make_panel(1);
  report->rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  for (guint i = 0; i < n_regions; i++) {
    g_autofree char *name = g_strdup_printf("Region %u", i + 1);
    g_ptr_array_add(report->rois, vt_roi_new_rectangle(name, 100 * i, 0, 10 + i, 20));
  }
  report->mpp_x = report->mpp_y = 0.5;
  report->analysis = g_strdup("Nuclei");
  report->parameters = g_ptr_array_new_with_free_func(g_free);
  g_ptr_array_add(report->parameters, g_strdup("Threshold 0.10 OD"));
  report->record = g_strdup("Vitrail · record of the run");
  return report;
}

static char *
dup_pdf_text(const char *path)
{
  g_autofree char *program = g_find_program_in_path("pdftotext");
  const char *argv[] = { program, "-layout", path, "-", NULL };
  char *output = NULL;
  if (program)
    g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &output, NULL, NULL, NULL);
  return output;
}

/* All rows stand there, or the page says how many do not. */
static void
test_report(gconstpointer n)
{
  const guint n_regions = GPOINTER_TO_UINT(n);
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "report.pdf", NULL);
  g_autoptr(VtReport) report = make_report(n_regions);
  g_autoptr(GError) error = NULL;
  g_assert_true(vt_report_save(report, path, NULL, &error));
  g_assert_no_error(error);
  g_autofree char *text = dup_pdf_text(path);
  remove_folder(folder);
  if (!text) {
    g_test_skip("pdftotext is not there");
    return;
  }
  guint n_shown = 0, n_left = 0;
  for (guint i = 0; i < n_regions; i++) {
    g_autofree char *row = g_strdup_printf("Region %u ", i + 1);
    n_shown += strstr(text, row) != NULL;
  }
  g_autoptr(GRegex) pattern = g_regex_new("(\\d+) more row", 0, 0, NULL);
  g_autoptr(GMatchInfo) match = NULL;
  if (g_regex_match(pattern, text, 0, &match)) {
    g_autofree char *number = g_match_info_fetch(match, 1);
    n_left = (guint)g_ascii_strtoull(number, NULL, 10);
  }
  g_assert_cmpuint(n_shown + n_left, ==, n_regions);
  g_assert_cmpuint(n_left == 0, ==, n_regions < 10);
  g_assert_nonnull(strstr(text, "slide.svs: Tumour"));
  g_assert_nonnull(strstr(text, "Threshold 0.10 OD"));
  g_assert_nonnull(strstr(text, "record of the run"));
}

/* Areas and lengths of rectangles, in units that a person reads. */
static void
test_table(void)
{
  g_autoptr(VtReport) report = make_report(2);
  g_autoptr(VtRoiMeasures) measures = vt_roi_measures_new(report->rois, 0.5, 0.5, NULL, NULL);
  g_autoptr(VtPageTable) table = vt_report_make_table(report->rois, measures);
  g_assert_cmpuint(table->rows->len, ==, 2);
  g_assert_cmpstr(table->titles[1], ==, "Area µm²");
  g_assert_cmpstr(((GStrv)table->rows->pdata[0])[0], ==, "Region 1");
  g_assert_cmpstr(((GStrv)table->rows->pdata[0])[1], ==, "50.0"); /* 10 × 20 px of 0.5 µm */
  g_assert_cmpstr(((GStrv)table->rows->pdata[1])[2], ==, "31.0");
  g_assert_cmpstr(((GStrv)table->rows->pdata[0])[3], ==, "–"); /* nobody counted */
}

/* Below each region its classes, with their part of its objects. */
static void
test_classes(void)
{
  double values[] = { 2e5, 2000, 40, 200, 30, 150, 10, 50, 50, 30, 0, 0, NAN, NAN, NAN, NAN };
  g_autoptr(VtReport) report = make_report(2);
  g_autoptr(GPtrArray) classes = g_ptr_array_new();
  g_ptr_array_add(classes, (gpointer) "Tumour");
  g_ptr_array_add(classes, (gpointer) "Stroma");
  const VtRoiMeasures measures = { .classes = classes, .calibrated = TRUE, .n_rois = 2, .values = values };
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  g_ptr_array_set_size(names, 8);
  VtRoiMeasures with_names = measures;
  with_names.names = names;
  g_autoptr(VtPageTable) table = vt_report_make_table(report->rois, &with_names);
  static const char *const expected[][6] = {
    { "Region 1", "0.2000", "2000.0", "40", "200.0", "100 %" },
    { "    Tumour", "", "", "30", "150.0", "75.0 %" },
    { "    Stroma", "", "", "10", "50.00", "25.0 %" },
    { "Region 2", "0.0001", "30.0", "0", "0.00", "" },
    { "    Tumour", "", "", "–", "–", "–" },
    { "    Stroma", "", "", "–", "–", "–" },
  };
  g_assert_cmpstr(table->titles[1], ==, "Area mm²");
  g_assert_cmpuint(table->rows->len, ==, G_N_ELEMENTS(expected));
  for (guint i = 0; i < G_N_ELEMENTS(expected); i++) {
    g_assert_cmpint(g_array_index(table->strong, gboolean, i), ==, i % 3 == 0);
    for (guint k = 0; k < 6; k++)
      g_assert_cmpstr(((GStrv)table->rows->pdata[i])[k], ==, expected[i][k]);
  }
}

/* --- replays --- */

enum { N_TICKS = 7, SIDE = 16 };

static VtWave *
make_wave(void)
{
  guint32 ticks[SIDE * SIDE];
  float end[SIDE * SIDE];
  for (guint32 i = 0; i < SIDE * SIDE; i++) {
    ticks[i] = i % N_TICKS;
    end[i] = (float)i;
  }
  const VitrailInput image = { .size = sizeof image, .width_l0 = SIDE, .height_l0 = SIDE };
  const VitrailWave told = { .size = sizeof told,
                             .kind = VITRAIL_WAVE_DISTANCE,
                             .type = VITRAIL_F32,
                             .node = "n",
                             .width = SIDE,
                             .height = SIDE,
                             .downsample = 1,
                             .connectivity = 8,
                             .n_ticks = N_TICKS,
                             .ticks = ticks,
                             .end = end,
                             .made = end,
                             .scale = 1,
                             .unit = "",
                             .tick_unit = "" };
  return vt_wave_new(&told, &image, NULL);
}

static VtSequence *
make_sequence(const char *folder, guint step)
{
  VtSequence *sequence = g_new0(VtSequence, 1);
  sequence->folder = g_strdup(folder);
  sequence->wave = make_wave();
  sequence->film = vt_film_new(sequence->wave, VT_COLORMAP_GRAY, NULL, NULL);
  sequence->zoom = 4;
  sequence->ticks = vt_sequence_list_ticks(N_TICKS, step);
  sequence->words = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < sequence->ticks->len; i++)
    g_ptr_array_add(sequence->words, g_strdup_printf("Moment %u", g_array_index(sequence->ticks, guint32, i)));
  sequence->title = g_strdup("Replay");
  sequence->about = g_strdup("Of a test\n");
  return sequence;
}

static void
test_ticks(void)
{
  for (guint32 n = 1; n < 30; n++) {
    for (guint step = 1; step < 35; step++) {
      g_autoptr(GArray) ticks = vt_sequence_list_ticks(n, step);
      guint at = 0;
      for (guint32 tick = 0; tick < n; tick++)
        if (tick % step == 0 || tick == n - 1)
          g_assert_cmpuint(g_array_index(ticks, guint32, at++), ==, tick);
      g_assert_cmpuint(at, ==, ticks->len);
    }
  }
}

/* Each pixel of a frame is a square of the film's colour at that moment. */
static void
test_frames(void)
{
  g_autofree char *folder = make_folder(), *text_path = g_build_filename(folder, "replay.txt", NULL);
  g_autofree char *text = NULL;
  g_autoptr(VtSequence) sequence = make_sequence(folder, 4);
  g_autoptr(GError) error = NULL;
  g_assert_true(vt_sequence_save(sequence, NULL, &error));
  g_assert_no_error(error);
  g_assert_cmpuint(count_files(folder), ==, 4); /* 0, 4, 6 and the text */
  g_assert_true(g_file_get_contents(text_path, &text, NULL, NULL));
  g_assert_nonnull(strstr(text, "frame-0003.png\t6\tMoment 6"));
  for (guint i = 0; i < 3; i++) {
    guint32 pixels[SIDE * SIDE];
    g_autofree char *name = g_strdup_printf("frame-%04u.png", i + 1), *path = g_build_filename(folder, name, NULL);
    vt_film_render(sequence->film, g_array_index(sequence->ticks, guint32, i), pixels);
    cairo_surface_t *image = cairo_image_surface_create_from_png(path);
    const guint8 *data = cairo_image_surface_get_data(image);
    g_assert_cmpint(cairo_image_surface_get_width(image), ==, SIDE * 4);
    for (guint y = 0; y < SIDE * 4; y++) {
      const guint32 *row = (const guint32 *)(gconstpointer)(data + y * (gsize)cairo_image_surface_get_stride(image));
      for (guint x = 0; x < SIDE * 4; x++) {
        const guint32 pixel = pixels[y / 4 * SIDE + x / 4];
        if (pixel >> 24 == 255)
          g_assert_cmphex(row[x] & 0xffffff, ==, pixel & 0xffffff);
      }
    }
    cairo_surface_destroy(image);
  }
  remove_folder(folder);
}

static void
test_nothing_replaced(void)
{
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "frame-0002.png", NULL);
  g_autoptr(VtSequence) sequence = make_sequence(folder, 1);
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_autoptr(GError) error = NULL;
  g_assert_true(g_file_set_contents(path, "mine", -1, NULL));
  g_assert_false(vt_sequence_save(sequence, NULL, &error));
  g_assert_nonnull(strstr(error->message, "is there already"));
  g_assert_cmpuint(count_files(folder), ==, 1);
  g_unlink(path);
  g_clear_error(&error);
  g_cancellable_cancel(cancellable);
  g_assert_false(vt_sequence_save(sequence, cancellable, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint(count_files(folder), ==, 0);
  remove_folder(folder);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  gtk_init_check(); /* for the types of render nodes; no display is needed */
  g_test_add_func("/documents/pixels", test_pixels);
  g_test_add_func("/documents/figure", test_figure);
  g_test_add_func("/documents/refusals", test_refusals);
  g_test_add_data_func("/documents/full/png", ".png", test_full);
  g_test_add_data_func("/documents/full/pdf", ".pdf", test_full);
  g_test_add_data_func("/documents/full/svg", ".svg", test_full);
  g_test_add_func("/documents/cancelled", test_cancelled);
  g_test_add_data_func("/documents/report", GUINT_TO_POINTER(3), test_report);
  g_test_add_data_func("/documents/report-long", GUINT_TO_POINTER(60), test_report);
  g_test_add_func("/documents/table", test_table);
  g_test_add_func("/documents/classes", test_classes);
  g_test_add_func("/documents/ticks", test_ticks);
  g_test_add_func("/documents/frames", test_frames);
  g_test_add_func("/documents/nothing-replaced", test_nothing_replaced);
  return g_test_run();
}
