/* SPDX-License-Identifier: MIT */
#include "documents/vt-sequence.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <math.h>

#include "base/vt-define.h"
#include "base/vt-file-private.h"
#include "documents/vt-drawing.h"
#include "documents/vt-page.h"
#include "layers/vt-shot.h"

#define TEXT_NAME "replay.txt"
#define PAD 6

VT_DEFINE_TYPE_FREE(vt_sequence_free, VtSequence,
                    VT_FREES(g_free, folder, title, about) VT_FREES(vt_film_free, film) VT_FREES(vt_wave_unref, wave)
                      VT_FREES(vt_slide_unref, slide) VT_FREES(g_array_unref, ticks) VT_FREES(g_ptr_array_unref, words))

GArray *
vt_sequence_list_ticks(guint32 n_ticks, guint step)
{
  GArray *ticks = g_array_new(FALSE, FALSE, sizeof(guint32));
  for (guint64 tick = 0; tick < n_ticks; tick += MAX(step, 1)) {
    const guint32 one = (guint32)tick;
    g_array_append_val(ticks, one);
  }
  const guint32 last = n_ticks - 1;
  if (n_ticks > 0 && g_array_index(ticks, guint32, ticks->len - 1) != last)
    g_array_append_val(ticks, last);
  return ticks;
}

static char *
dup_name(const VtSequence *sequence, guint i)
{
  return g_strdup_printf("frame-%0*u.png", sequence->ticks->len > 9999 ? 6 : 4, i + 1);
}

static char *
dup_path(const VtSequence *sequence, guint i)
{
  g_autofree char *name = i < sequence->ticks->len ? dup_name(sequence, i) : g_strdup(TEXT_NAME);
  return g_build_filename(sequence->folder, name, NULL);
}

/* The folder is there, and has none of the names. */
static gboolean
check_folder(const VtSequence *sequence, GError **error)
{
  if (g_mkdir_with_parents(sequence->folder, 0777) != 0) {
    const int number = errno;
    g_autofree char *shown = vt_error_dup_path(sequence->folder);
    g_set_error(error, G_IO_ERROR, (int)g_io_error_from_errno(number), _("The folder %s cannot be made: %s."), shown,
                g_strerror(number));
    return FALSE;
  }
  for (guint i = 0; i <= sequence->ticks->len; i++) {
    g_autofree char *path = dup_path(sequence, i);
    if (!g_file_test(path, G_FILE_TEST_EXISTS))
      continue;
    g_autofree char *shown = vt_error_dup_path(path);
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("%s is there already: choose an empty folder."), shown);
  }
  return TRUE;
}

/* --- pictures --- */

typedef struct {
  cairo_surface_t *ground; /* or NULL */
  cairo_surface_t *film;
  double width, height, words_height; /* of a picture, without its words */
} Frames;

VT_DEFINE_CLEAR(frames_clear, Frames, VT_FREES(cairo_surface_destroy, ground, film))

/* As the analysis saw it: each pixel a rounded mean. */
static gboolean
read_ground(const VtSequence *sequence, Frames *frames, GCancellable *cancellable, GError **error)
{
  const VtWave *wave = sequence->wave;
  if (!sequence->slide)
    return TRUE;
  frames->ground = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)wave->width, (int)wave->height);
  guint8 *pixels = cairo_image_surface_get_data(frames->ground);
  const gsize stride = (gsize)cairo_image_surface_get_stride(frames->ground);
  if (!vt_slide_read_region(sequence->slide, (guint)wave->end->downsample, wave->end->x, wave->end->y, wave->width,
                            wave->height, pixels, stride, cancellable, error))
    return FALSE;
  for (gint64 y = 0; y < wave->height; y++) {
    for (gint64 x = 0; x < wave->width; x++) {
      guint8 *pixel = pixels + (gsize)y * stride + (gsize)x * 4, red = pixel[0];
      pixel[0] = pixel[2];
      pixel[2] = red;
    }
  }
  cairo_surface_mark_dirty(frames->ground);
  return TRUE;
}

static double
measure_words(const VtSequence *sequence, double width)
{
  cairo_t *ruler = vt_page_new_ruler();
  double most = 0;
  for (guint i = 0; i < sequence->words->len; i++)
    most = MAX(most, vt_page_measure(ruler, VT_PAGE_HEAD, sequence->words->pdata[i], width - 2 * PAD));
  most += vt_page_measure(ruler, VT_PAGE_TEXT, sequence->title, width - 2 * PAD) + 2 * PAD;
  cairo_destroy(ruler);
  return ceil(most);
}

static gboolean
begin(const VtSequence *sequence, Frames *frames, GCancellable *cancellable, GError **error)
{
  const VtWave *wave = sequence->wave;
  frames->width = (double)(wave->width * sequence->zoom);
  frames->height = (double)(wave->height * sequence->zoom);
  frames->words_height = measure_words(sequence, frames->width);
  if (MAX(frames->width, frames->height + frames->words_height) > VT_SHOT_MOST_PX
      || frames->width * frames->height > VT_SHOT_MOST_PIXELS)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("Pictures of %.0f × %.0f pixels are too large."), frames->width,
                        frames->height);
  frames->film = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)wave->width, (int)wave->height);
  return read_ground(sequence, frames, cancellable, error);
}

static gboolean
write_frame(const VtSequence *sequence, const Frames *frames, guint i, GCancellable *cancellable, GError **error)
{
  g_autofree char *path = dup_path(sequence, i);
  VtDrawing *drawing =
    vt_drawing_new(path, frames->width, frames->height + frames->words_height, 1, cancellable, error);
  if (!drawing)
    return FALSE;
  cairo_t *cr = vt_drawing_get_cairo(drawing);
  cairo_surface_flush(frames->film);
  /* Rows of 32-bit pixels have no gaps. */
  vt_film_render(sequence->film, g_array_index(sequence->ticks, guint32, i),
                 (guint32 *)(gpointer)cairo_image_surface_get_data(frames->film));
  cairo_surface_mark_dirty(frames->film);
  if (frames->ground)
    vt_drawing_put_image(cr, frames->ground, 1.0 / sequence->zoom, 0, 0);
  vt_drawing_put_image(cr, frames->film, 1.0 / sequence->zoom, 0, 0);
  const double y = frames->height + PAD, width = frames->width - 2 * PAD;
  const double line = vt_page_text(cr, VT_PAGE_HEAD, sequence->words->pdata[i], PAD, y, width);
  vt_page_text(cr, VT_PAGE_TEXT, sequence->title, PAD, y + line, width);
  return vt_drawing_close(drawing, error);
}

static gboolean
write_text(const VtSequence *sequence, GError **error)
{
  g_autofree char *path = dup_path(sequence, sequence->ticks->len);
  g_autoptr(GString) text = g_string_new(sequence->about);
  g_string_append_printf(text, "\n%s\t%s\t%s\n", _("picture"), _("moment"), _("what it is"));
  for (guint i = 0; i < sequence->ticks->len; i++) {
    g_autofree char *name = dup_name(sequence, i);
    g_string_append_printf(text, "%s\t%u\t%s\n", name, g_array_index(sequence->ticks, guint32, i),
                           (const char *)sequence->words->pdata[i]);
  }
  return vt_file_write_text(path, text, error);
}

gboolean
vt_sequence_save(VtSequence *sequence, GCancellable *cancellable, GError **error)
{
  Frames frames = { NULL };
  guint n = 0;
  if (!check_folder(sequence, error))
    return FALSE;
  gboolean is_good = begin(sequence, &frames, cancellable, error);
  while (is_good && n < sequence->ticks->len) {
    is_good = write_frame(sequence, &frames, n, cancellable, error);
    n += is_good;
    g_atomic_int_set(&sequence->n_done, (gint)n);
  }
  frames_clear(&frames);
  if (is_good && write_text(sequence, error))
    return TRUE;
  for (guint i = 0; i < n; i++) {
    g_autofree char *path = dup_path(sequence, i);
    g_unlink(path);
  }
  return FALSE;
}
