/* SPDX-License-Identifier: MIT
 *
 * A reader process that says what is not so. LIE=NAME says what. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/vt-error.h"
#include "base/vt-helper.h"
#include "slide/vt-reader-protocol.h"

static gboolean
lies(const char *name)
{
  return g_strcmp0(g_getenv("LIE"), name) == 0;
}

static GVariant *
make_facts(int n_levels, gint64 width, double downsample, double mpp, gboolean has_flat)
{
  static const char *const name = "a property without a value";
  GVariantBuilder levels;
  g_variant_builder_init(&levels, G_VARIANT_TYPE("a(ixxd)"));
  for (int i = 0; i < n_levels; i++)
    g_variant_builder_add(&levels, "(ixxd)", i, width, (gint64)300, downsample);
  return g_variant_ref_sink(g_variant_new(
    "(s@as(yyy)ddd@a(ixxd)i@aybddb(uxxxxdddddbdd))", "aperio", g_variant_new_strv(&name, lies("odd") ? 1 : 0), 255, 255,
    255, mpp, mpp, 20.0, g_variant_builder_end(&levels), n_levels,
    g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, NULL, 0, 1), FALSE, 0.0, 255.0, has_flat, 4u, (gint64)0, (gint64)0,
    width, (gint64)300, 1.0, 0.0, 0.0, 1.0, 0.0, FALSE, mpp, mpp));
}

static GVariant *
choose_facts(void)
{
  if (lies("levels"))
    return make_facts(0, 400, 1, 0.5, FALSE);
  if (lies("size"))
    return make_facts(1, lies("size") ? G_MAXINT64 : 400, 1, 0.5, FALSE);
  if (lies("downsample"))
    return make_facts(1, 400, -3, 0.5, FALSE);
  if (lies("pixel-size"))
    return make_facts(1, 400, 1, -0.5, FALSE);
  return make_facts(1, 400, 1, 0.5, lies("flat"));
}

/* Signs of life that are none: of what is done less than before, or more than there is, or with a file. */
static void
send_life(int control)
{
  const VtReaderReply steps[] = {
    { .kind = VT_READER_PROGRESS, .width = 10, .height = 100 },
    { .kind = VT_READER_PROGRESS, .width = lies("progress-over") ? 110 : 20, .height = 100 },
    { .kind = VT_READER_PROGRESS, .width = lies("progress-back") ? 20 : 30, .height = 90 }
  };
  const int file = lies("progress-file") ? vt_reader_file_new("file", 4) : -1;
  for (gsize i = 0; i < G_N_ELEMENTS(steps); i++)
    vt_reader_reply(control, &steps[i], NULL, &file, file >= 0 ? 1 : 0);
}

static void
answer_open(int control, guint32 kind)
{
  const VtReaderReply reply = { .kind = lies("kind") ? VT_READER_TILE : kind };
  g_autoptr(GVariant) facts = choose_facts();
  int files[2] = { vt_reader_file_new(g_variant_get_data(facts), g_variant_get_size(facts)), -1 };
  guint n = 1;
  if (g_str_has_prefix(g_getenv("LIE"), "progress"))
    send_life(control);
  if (lies("no-file"))
    n = 0;
  if (lies("garbage"))
    files[0] = vt_reader_file_new("garbage in a file of facts", 26);
  if (lies("unsealed"))
    files[0] = memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (lies("flat")) /* too few pixels */
    files[n++] = vt_reader_file_new("pixels", 6);
  if (lies("text"))
    vt_reader_reply(control, &(VtReaderReply){ .kind = kind, .status = VITRAIL_READ_FAILED }, "\xff\xfe", NULL, 0);
  else if (lies("magic"))
    send(control, "an answer without a head, as long as one would be, and longer", 60, 0);
  else if (lies("short"))
    send(control, "short", 5, 0);
  else if (!lies("progress-alone"))
    vt_reader_reply(control, &reply, NULL, files, n);
}

/* An image of 400 rows whose blocks have 100. */
static void
answer_rows(int control, guint32 kind)
{
  const VtReaderReply reply = { .kind = kind };
  g_autoptr(GVariant) facts = g_variant_ref_sink(
    g_variant_new("((uxxxxdddddbdd)" VT_RASTER_FACTS "x)", lies("type") ? 77u : 0u, (gint64)0, (gint64)0, (gint64)300,
                  (gint64)400, 1.0, 0.0, 0.0, 1.0, 0.0, FALSE, 0.0, 0.0, 1u, 0u, 0u, lies("turned") ? 9u : 1u, TRUE,
                  0.0, 0.0, lies("place") ? -1.0 : 1.0, 0.0, 0.0, 1.0, 0.0, lies("no-rows") ? (gint64)0 : (gint64)100));
  g_autofree guint8 *pixels = g_malloc0(300 * 100);
  const int file = kind == VT_READER_ROWS ? vt_reader_file_new(g_variant_get_data(facts), g_variant_get_size(facts))
                                          : vt_reader_file_new(pixels, lies("block") ? 299 * 100 : 300 * 100);
  vt_reader_reply(control, &reply, NULL, &file, lies("no-block") && kind == VT_READER_BLOCK ? 0 : 1);
}

int
main(void)
{
  const VtReaderReply hello = { .kind = VT_READER_HELLO }, tile = { .kind = VT_READER_TILE },
                      life = { .kind = VT_READER_PROGRESS, .width = 1, .height = 2 };
  if (lies("no-hello"))
    return 0;
  vt_reader_reply(VT_HELPER_SOCKET, &hello, NULL, NULL, 0);
  for (;;) {
    VtReaderMessage message;
    if (!vt_reader_receive_request(VT_HELPER_SOCKET, &message))
      return 0;
    if (message.head.request.kind == VT_READER_ROWS || message.head.request.kind == VT_READER_BLOCK) {
      answer_rows(VT_HELPER_SOCKET, message.head.request.kind);
    } else if (message.head.request.kind != VT_READER_CHANNEL) {
      answer_open(VT_HELPER_SOCKET, message.head.request.kind);
    } else {
      const int channel = message.files[0];
      message.n_files = 0;
      /* A file that shrinks would end whoever reads it. */
      if (lies("shrink") && ftruncate(message.files[1], 0) == 0)
        return 3;
      VtReaderMessage request;
      if (vt_reader_receive_request(channel, &request))
        vt_reader_reply(channel, lies("tile-progress") ? &life : &tile, NULL, NULL, 0);
    }
  }
}
