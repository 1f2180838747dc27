/* SPDX-License-Identifier: MIT
 *
 * Both sides of the protocol of reader processes. By the first byte: facts of a slide and of a raster, as a reader may send them; or packets to
 * a reader, each after two bytes of its length, as it would take them from a stranger. */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"
#include "slide/vt-reader-private.h"

enum { FACTS, RASTER_FACTS, PACKETS, N_KINDS };

static size_t
seed_facts(uint8_t *data)
{
  g_autoptr(VtSlide) slide = vt_slide_new("fuzz.svs");
  const VtSlideLevel levels[] = { { 0, 3000, 2000, 1 }, { 1, 750, 500, 4 }, { -1, 375, 250, 8 } };
  slide->vendor = g_strdup("aperio");
  vt_slide_add_property(slide, "openslide.mpp-x", "0.5");
  g_array_append_vals(slide->levels, levels, G_N_ELEMENTS(levels));
  slide->n_stored = 2;
  g_autoptr(GVariant) facts = vt_slide_dup_facts(slide);
  data[0] = FACTS;
  memcpy(data + 1, g_variant_get_data(facts), g_variant_get_size(facts));
  return 1 + g_variant_get_size(facts);
}

static size_t
seed_raster(uint8_t *data)
{
  const VtRaster raster = { .type = VITRAIL_U8, .width = 20, .height = 10, .stride = 20, .downsample = 1, .scale = 1 };
  const VtRasterFacts said = { .n_pages = 1, .orientation = 1, .is_placed = TRUE, .place = { .downsample = 1 } };
  g_autoptr(GVariant) facts = g_variant_ref_sink(g_variant_new(
    "(@(uxxxxdddddbdd)@" VT_RASTER_FACTS "b)", vt_raster_pack(&raster), vt_raster_facts_pack(&said), FALSE));
  data[0] = RASTER_FACTS;
  memcpy(data + 1, g_variant_get_data(facts), g_variant_get_size(facts));
  return 1 + g_variant_get_size(facts);
}

static size_t
add_packet(uint8_t *data, VtReaderKind kind, const char *text)
{
  const VtReaderRequest request = {
    .magic = VT_READER_MAGIC, .kind = kind, .n_text = (guint32)strlen(text), .room = -1, .width = 512, .height = 512
  };
  const size_t n = sizeof request + strlen(text);
  data[0] = (uint8_t)n;
  data[1] = (uint8_t)(n >> 8);
  memcpy(data + 2, &request, sizeof request);
  memcpy(data + 2 + sizeof request, text, strlen(text));
  return n + 2;
}

size_t
vt_fuzz_seed(unsigned index, uint8_t *data)
{
  static const uint8_t grey[] = "II*\0\b\0\0\0"; /* a TIFF without a directory */
  size_t n = 1;
  if (index == 0)
    return seed_facts(data);
  if (index == 1)
    return seed_raster(data);
  if (index > 2)
    return 0;
  data[0] = PACKETS;
  n += add_packet(data + n, VT_READER_RASTER, vt_fuzz_file(grey, sizeof grey));
  n += add_packet(data + n, VT_READER_ROWS, vt_fuzz_file(grey, sizeof grey));
  n += add_packet(data + n, VT_READER_BLOCK, "");
  n += add_packet(data + n, VT_READER_OPEN, "/nowhere/slide.svs");
  n += add_packet(data + n, VT_READER_NAMES, "");
  n += add_packet(data + n, VT_READER_PICTURE, "label");
  n += add_packet(data + n, VT_READER_CHANNEL, "");
  n += add_packet(data + n, VT_READER_TILE, "");
  return n;
}

static GVariant *
take_facts(const uint8_t *data, size_t size, const char *type)
{
  g_autoptr(GBytes) bytes = g_bytes_new(data, size);
  return g_variant_ref_sink(g_variant_new_from_bytes(G_VARIANT_TYPE(type), bytes, FALSE));
}

static void
check_slide(const uint8_t *data, size_t size)
{
  g_autoptr(GVariant) facts = take_facts(data, size, VT_READER_FACTS);
  g_autoptr(VtSlide) slide = vt_slide_new_from_facts("fuzz.svs", facts, -1);
  for (int i = 0; slide && i < vt_slide_get_n_levels(slide); i++) {
    gint64 width = 0, height = 0;
    int w = 0, h = 0;
    vt_slide_get_level_size(slide, i, &width, &height);
    vt_fuzz_check(width > 0 && height > 0 && vt_slide_get_level_downsample(slide, i) >= 1, "a level", NULL);
    vt_fuzz_check(vt_slide_get_tile_size(slide, i, 0, 0, &w, &h) && w > 0 && h > 0, "a tile", NULL);
  }
}

static void
check_raster(const uint8_t *data, size_t size)
{
  VtRaster raster = { 0 };
  g_autoptr(GVariant) facts = take_facts(data, size, VT_READER_RASTER_FACTS);
  g_autoptr(GVariant) packed = g_variant_get_child_value(facts, 0), said = g_variant_get_child_value(facts, 1);
  VtRasterFacts unpacked;
  if (vt_raster_unpack(packed, &raster))
    vt_fuzz_check(raster.stride / vt_pixel_size(raster.type) == (gsize)raster.width, "a stride", NULL);
  if (vt_raster_facts_unpack(said, &unpacked) && unpacked.is_placed)
    vt_fuzz_check(unpacked.place.downsample > 0, "a place", NULL);
}

static gpointer
serve(gpointer socket)
{
  vt_reader_serve(GPOINTER_TO_INT(socket));
  close(GPOINTER_TO_INT(socket));
  return NULL;
}

static gpointer
drain(gpointer socket)
{
  VtReaderMessage message;
  while (vt_reader_receive_reply(GPOINTER_TO_INT(socket), &message))
    vt_reader_message_clear(&message);
  vt_reader_message_clear(&message);
  return NULL;
}

static void
send_packets(const uint8_t *data, size_t size)
{
  int ends[2];
  vt_fuzz_check(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0, "sockets", NULL);
  GThread *reader = g_thread_new("reader", serve, GINT_TO_POINTER(ends[1]));
  GThread *host = g_thread_new("host", drain, GINT_TO_POINTER(ends[0]));
  while (size > 2) {
    const size_t n = MIN((size_t)(data[0] | data[1] << 8), size - 2);
    if (n == 0 || send(ends[0], data + 2, n, MSG_NOSIGNAL) < 0)
      break;
    data += n + 2;
    size -= n + 2;
  }
  shutdown(ends[0], SHUT_WR);
  g_thread_join(reader);
  g_thread_join(host);
  close(ends[0]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size == 0)
    return 0;
  switch (data[0] % N_KINDS) {
  case FACTS: check_slide(data + 1, size - 1); break;
  case RASTER_FACTS: check_raster(data + 1, size - 1); break;
  default: send_packets(data + 1, size - 1); break;
  }
  return 0;
}
