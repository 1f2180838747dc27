/* SPDX-License-Identifier: MIT
 *
 * Both sides of the protocol of plugins' processes. By the first byte: structs as such a process may send them, the tables of a plugin among them; what it may
 * ask of the program during a run; or what a stranger may ask of it. Packets are a head, and after it the body that it says it has. */
#include <string.h>
#include <sys/socket.h>

#include "fuzz.h"
#include "plugins/vt-abi-pack.h"
#include "plugins/vt-tile-check.h"
#include "plugins/vt-worker-private.h"
#include "raster/vt-raster.h"
#include "run/vt-overlaps.h"
#include "run/vt-run-lengths.h"

enum { STRUCTS, CALLBACKS, QUESTIONS, N_KINDS };
enum { MOST_BODY = 4096 };

static const VtAbiShape *const shapes[] = { &vt_abi_plugin,  &vt_abi_op,       &vt_abi_recipe,  &vt_abi_request,
                                            &vt_abi_object,  &vt_abi_row,      &vt_abi_verdict, &vt_abi_wave,
                                            &vt_abi_lengths, &vt_abi_backends, &vt_abi_overlaps };

/* --- a program that believes what it is given, as far as the contract lets it --- */

static VitrailStatus
host_read(void *user, uint32_t handle, uint32_t downsample, int64_t x, int64_t y, int64_t width, int64_t height,
          void *dst, size_t stride)
{
  if (!dst || width < 1 || height < 1 || width > 1 << 20 || stride < (size_t)width)
    return VITRAIL_BAD_ARGUMENT;
  for (int64_t row = 0; row < height; row++)
    memset((char *)dst + (size_t)row * stride, 1, (size_t)width);
  return VITRAIL_OK;
}

static VitrailStatus
host_tile(void *user, const VitrailTile *tile)
{
  unsigned sum = 0;
  if (!tile || !vt_tile_is_sound(tile))
    return VITRAIL_BAD_ARGUMENT;
  for (int64_t y = 0; y < tile->height; y++)
    for (int64_t x = 0; x < tile->width; x++)
      sum += ((const uint8_t *)tile->data)[(size_t)y * tile->stride + (size_t)x];
  return sum == 1 ? VITRAIL_CANCELLED : VITRAIL_OK;
}

static VitrailStatus
host_object(void *user, const VitrailObject *object)
{
  double sum = 0;
  size_t at = 0;
  if (!object)
    return VITRAIL_BAD_ARGUMENT;
  for (uint32_t i = 0; object->ring_sizes && object->points && i < object->n_rings; i++)
    for (uint32_t j = 0; j < 2 * object->ring_sizes[i]; j++)
      sum += object->points[at++];
  for (uint32_t i = 0; object->measurements && object->measurement_names && i < object->n_measurements; i++)
    sum += object->measurements[i] + (object->measurement_names[i] ? (double)strlen(object->measurement_names[i]) : 0);
  return sum == 1 ? VITRAIL_CANCELLED : VITRAIL_OK;
}

static VitrailStatus
host_row(void *user, const VitrailRow *row)
{
  double sum = row && row->label ? (double)strlen(row->label) : 0;
  for (uint32_t i = 0; row && row->values && i < row->n_values; i++)
    sum += row->values[i];
  return sum == 1 ? VITRAIL_CANCELLED : VITRAIL_OK;
}

static VitrailStatus
host_verdict(void *user, const VitrailVerdict *verdict)
{
  return verdict && verdict->node && strlen(verdict->node) == 1 ? VITRAIL_CANCELLED : VITRAIL_OK;
}

static VitrailStatus
host_wave(void *user, const VitrailWave *wave)
{
  unsigned sum = 0;
  if (!wave || !vt_wave_is_sound(wave))
    return VITRAIL_BAD_ARGUMENT;
  const size_t n = (size_t)(wave->width * wave->height), size = vt_pixel_size(wave->type);
  for (size_t i = 0; i < n; i++)
    sum += wave->ticks[i] + ((const uint8_t *)wave->end)[i * size] + ((const uint8_t *)wave->made)[i * size];
  return sum == 1 ? VITRAIL_CANCELLED : VITRAIL_OK;
}

static VitrailStatus
host_lengths(void *user, const VitrailRunLengths *lengths)
{
  if (!lengths || lengths->size < G_STRUCT_OFFSET(VitrailRunLengths, reserved) || vt_run_lengths_doubt(lengths))
    return VITRAIL_BAD_ARGUMENT;
  g_autoptr(VtRunLengths) copy = vt_run_lengths_new(lengths);
  const VtRunCell all = { VT_RUN_ALL_DIRECTIONS, 1, copy->n_levels, 1, copy->longest };
  g_autoptr(GArray) places = vt_run_lengths_find(copy, &all);
  return places->len == 1 ? VITRAIL_CANCELLED : VITRAIL_OK;
}

static VitrailStatus
host_overlaps(void *user, const VitrailOverlaps *told)
{
  if (!told || told->size < G_STRUCT_OFFSET(VitrailOverlaps, reserved) || vt_overlaps_doubt(told, 3))
    return VITRAIL_BAD_ARGUMENT;
  VtOverlaps *copy = vt_overlaps_new(told, 1);
  const gboolean has_three = copy->n > 0 && copy->list[copy->n - 1].object == 3;
  vt_overlaps_free(copy);
  return has_three ? VITRAIL_CANCELLED : VITRAIL_OK;
}

static void
host_progress(void *user, uint32_t stage, double number)
{
}

static void
host_record(void *user, const char *key, const char *text, double number)
{
  vt_fuzz_check(strlen(key) + (text ? strlen(text) : 0) <= MOST_BODY, "a fact", NULL);
}

static void
host_log(void *user, VitrailLogLevel level, const char *sentence)
{
  vt_fuzz_check(strlen(sentence) <= MOST_BODY, "a sentence", NULL);
}

static VitrailStatus
host_exchange(void *user, const void *to_above, void *from_above, const void *to_below, void *from_below, size_t bytes)
{
  if (to_above && from_below)
    memcpy(from_below, to_above, bytes);
  if (from_above)
    memset(from_above, 0, bytes);
  return VITRAIL_OK;
}

static VitrailStatus
host_agree(void *user, int32_t mine, int32_t *largest)
{
  *largest = mine;
  return VITRAIL_OK;
}

static const VitrailHost host = { .size = sizeof host,
                                  .n_threads = 1,
                                  .read_region = host_read,
                                  .emit_tile = host_tile,
                                  .emit_object = host_object,
                                  .emit_row = host_row,
                                  .progress = host_progress,
                                  .stage_done = host_progress,
                                  .record = host_record,
                                  .log = host_log,
                                  .exchange = host_exchange,
                                  .agree = host_agree,
                                  .emit_verdict = host_verdict,
                                  .emit_wave = host_wave,
                                  .emit_run_lengths = host_lengths,
                                  .emit_overlaps = host_overlaps };

/* --- sound inputs --- */

static size_t
seed_structs(uint8_t *data, unsigned index)
{
  static const double points[] = { 0, 0, 1, 0, 1, 1 };
  static const uint32_t three = 3;
  static const char *const names[] = { "Area", NULL };
  const VitrailObject object = { .size = sizeof object,
                                 .id = 1,
                                 .n_rings = 1,
                                 .n_measurements = 2,
                                 .ring_sizes = &three,
                                 .points = points,
                                 .measurement_names = names,
                                 .measurements = points };
  static const uint32_t levels[] = { 1, 1 }, counts[] = { 0, 1, 2, 0, 2, 0, 2, 0 };
  static const VitrailRunLengths lengths = { .size = sizeof lengths,
                                             .downsample = 1,
                                             .width = 2,
                                             .height = 1,
                                             .n_pixels = 2,
                                             .n_levels = 1,
                                             .longest = 2,
                                             .n_counts = 8,
                                             .levels = levels,
                                             .counts = counts,
                                             .unit = "" };
  static const VitrailStage stage = { .size = sizeof stage, .id = "stage", .title = "Stage" };
  static const VitrailStage *const stages[] = { &stage };
  static const VitrailOp op = { .size = sizeof op, .id = "op", .n_stages = 1, .stages = stages };
  static const VitrailOp *const ops[] = { &op };
  const VitrailPlugin plugin = {
    .size = sizeof plugin, .abi_major = VITRAIL_ABI_MAJOR, .id = "p", .n_ops = 1, .ops = ops
  };
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  const gboolean packed = index == 0   ? vt_abi_pack(bytes, &vt_abi_plugin, &plugin)
                          : index == 1 ? vt_abi_pack(bytes, &vt_abi_object, &object)
                                       : vt_abi_pack(bytes, &vt_abi_lengths, &lengths);
  vt_fuzz_check(packed, "a struct", NULL);
  data[0] = STRUCTS;
  data[1] = index == 0 ? 0 : index == 1 ? 4 : 8;
  memcpy(data + 2, bytes->data, bytes->len);
  return bytes->len + 2;
}

static size_t
add_packet(uint8_t *data, VtWorkerKind kind, const void *body, size_t n)
{
  const VtWorkerHead head = {
    .magic = VT_WORKER_MAGIC, .kind = kind, .n_body = n, .v = { (int64_t)n / 4, 0, 0, 4, 4 }, .d = 0.5
  };
  memcpy(data, &head, sizeof head);
  memcpy(data + sizeof head, body, n);
  return sizeof head + n;
}

static size_t
seed_callbacks(uint8_t *data)
{
  uint8_t body[VT_WORKER_PIXELS + 16] = { 0 };
  const VitrailTile tile = { .size = sizeof tile, .width = 4, .height = 4, .downsample = 1, .stride = 4, .scale = 1 };
  size_t n = 1;
  data[0] = CALLBACKS;
  memcpy(body, &tile, sizeof tile);
  n += add_packet(data + n, VT_WORKER_TILE, body, sizeof body);
  n += add_packet(data + n, VT_WORKER_READ, body, 16);
  n += add_packet(data + n, VT_WORKER_RECORD, "key", 4);
  n += add_packet(data + n, VT_WORKER_LOG, "A sentence.", 11);
  n += add_packet(data + n, VT_WORKER_OBJECTS, body, 8);
  n += add_packet(data + n, VT_WORKER_ROW, body, 0);
  n += add_packet(data + n, VT_WORKER_VERDICT, body, 0);
  n += add_packet(data + n, VT_WORKER_WAVE, body, 0);
  n += add_packet(data + n, VT_WORKER_LENGTHS, body, 0);
  n += add_packet(data + n, VT_WORKER_OVERLAPS, body, 0);
  n += add_packet(data + n, VT_WORKER_EXCHANGE, body, 64);
  n += add_packet(data + n, VT_WORKER_AGREE, body, 0);
  n += add_packet(data + n, VT_WORKER_PROGRESS, body, 0);
  return n;
}

static size_t
seed_questions(uint8_t *data)
{
  size_t n = 1;
  data[0] = QUESTIONS;
  n += add_packet(data + n, VT_WORKER_LOAD, "/nowhere/plugin.so", 18);
  n += add_packet(data + n, VT_WORKER_OPEN, "", 0);
  return n;
}

size_t
vt_fuzz_seed(unsigned index, uint8_t *data)
{
  switch (index) {
  case 0:
  case 1:
  case 2: return seed_structs(data, index);
  case 3: return seed_callbacks(data);
  case 4: return seed_questions(data);
  default: return 0;
  }
}

/* --- what becomes of them --- */

/* What was unpacked is packed to the same bytes. */
static void
check_struct(const uint8_t *data, size_t size)
{
  const VtAbiShape *shape = shapes[data[0] % G_N_ELEMENTS(shapes)];
  g_autoptr(GPtrArray) memory = g_ptr_array_new_with_free_func(g_free);
  gconstpointer whole = vt_abi_unpack(shape, data + 1, size - 1, memory);
  g_autoptr(GByteArray) bytes = g_byte_array_new(), again = g_byte_array_new();
  if (!whole || !vt_abi_pack(bytes, shape, whole))
    return;
  gconstpointer second = vt_abi_unpack(shape, bytes->data, bytes->len, memory);
  vt_fuzz_check(second && vt_abi_pack(again, shape, second) && again->len == bytes->len
                  && memcmp(again->data, bytes->data, bytes->len) == 0,
                "a struct that is packed twice", NULL);
}

/* The next packet, sent with its body in the memory that both sides have. FALSE: that was all. */
static gboolean
send_next(VtWorkerChannel *channel, const uint8_t **data, size_t *size)
{
  VtWorkerHead head;
  if (*size < sizeof head)
    return FALSE;
  memcpy(&head, *data, sizeof head);
  *data += sizeof head;
  *size -= sizeof head;
  const size_t n = MIN(head.n_body, MIN(*size, (size_t)MOST_BODY));
  if (!vt_worker_channel_reserve(channel, MOST_BODY))
    return FALSE;
  memcpy(channel->memory, *data, n);
  *data += n;
  *size -= n;
  head.kind = head.kind % 32; /* of which few are none */
  return vt_worker_channel_send(channel, &head, -1);
}

static void
make_ends(VtWorkerChannel ends[2])
{
  int sockets[2];
  vt_fuzz_check(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) == 0, "sockets", NULL);
  vt_worker_channel_init(&ends[0], sockets[0]);
  vt_worker_channel_init(&ends[1], sockets[1]);
}

static void
answer_callbacks(const uint8_t *data, size_t size)
{
  VtWorkerChannel ends[2];
  VtWorkerHead head;
  make_ends(ends);
  while (send_next(&ends[0], &data, &size) && vt_worker_channel_receive(&ends[1], &head, NULL)
         && vt_worker_answer(&ends[1], &head, &host, TRUE))
    if (!vt_worker_channel_receive(&ends[0], &head, NULL))
      break;
  vt_worker_channel_clear(&ends[0]);
  vt_worker_channel_clear(&ends[1]);
}

static gpointer
serve(gpointer socket)
{
  vt_worker_serve(GPOINTER_TO_INT(socket));
  return NULL;
}

static gpointer
drain(gpointer data)
{
  char byte[512];
  while (recv(GPOINTER_TO_INT(data), byte, sizeof byte, 0) > 0)
    ;
  return NULL;
}

static void
send_questions(const uint8_t *data, size_t size)
{
  VtWorkerChannel ends[2];
  make_ends(ends);
  GThread *worker = g_thread_new("worker", serve, GINT_TO_POINTER(ends[1].socket));
  GThread *answers = g_thread_new("answers", drain, GINT_TO_POINTER(ends[0].socket));
  while (send_next(&ends[0], &data, &size))
    ;
  shutdown(ends[0].socket, SHUT_WR);
  g_thread_join(worker);
  g_thread_join(answers);
  vt_worker_channel_clear(&ends[0]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 2)
    return 0;
  switch (data[0] % N_KINDS) {
  case STRUCTS: check_struct(data + 1, size - 1); break;
  case CALLBACKS: answer_callbacks(data + 1, size - 1); break;
  default: send_questions(data + 1, size - 1); break;
  }
  return 0;
}
