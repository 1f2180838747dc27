/* SPDX-License-Identifier: MIT
 *
 * The tables of a plugin that is not sound: all memory is there, but sizes, counts, numbers and texts lie. A table is refused with a
 * sentence, or everything that later code reads of it makes sense. Each byte of the input is one field: below 128 it is as it
 * should be. The same tables as they are kept from one start to the next, with bytes changed by what is left of the input, are refused or make as much sense. */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "plugins/vt-params.h"
#include "plugins/vt-abi-pack.h"
#include "plugins/vt-plugin-private.h"
#include "plugins/vt-worker.h"

enum { MOST = 3 };

static struct {
  const uint8_t *data;
  size_t size;
  GPtrArray *memory;
} input;

/* --- fields --- */

static guint
next(void)
{
  if (input.size == 0)
    return 0;
  input.size--;
  return *input.data++;
}

static void *
make(gsize size)
{
  void *memory = g_malloc0(size);
  g_ptr_array_add(input.memory, memory);
  return memory;
}

static const char *
text(const char *sound)
{
  static const char *const odd[] = { NULL,    "",      "\xff\xfe", "%n%s%d", "two words",
                                     "../up", "-dash", "'q'",      "a.b",    "line\nbreak" };
  const guint b = next();
  if (b < 128)
    return sound;
  if (b % 11 < 10)
    return odd[b % 11];
  char *lengthy = make(5000);
  memset(lengthy, 'x', 4999);
  return lengthy;
}

static double
number(double sound)
{
  static const double odd[] = { NAN, INFINITY, -INFINITY, 1e308, -1e308, 0.5, -1, 4097, 1e19, -0.0 };
  const guint b = next();
  return b < 128 ? sound : odd[b % G_N_ELEMENTS(odd)];
}

static gint32
word(gint32 sound)
{
  static const gint32 odd[] = { -1, G_MAXINT32, G_MININT32, 3, 5, 15, 99, 64 };
  const guint b = next();
  return b < 128 ? sound : odd[b % G_N_ELEMENTS(odd)];
}

/* A struct's own size: it may lie, but never beyond what is there and still be believed, since more is not read. */
static guint32
size(gsize sound)
{
  const guint b = next();
  return b < 128 ? (guint32)sound : b < 192 ? (b - 128) * 4 : b < 250 ? (guint32)sound + 64 : G_MAXUINT32;
}

/* Of a list that holds n and a NULL. */
static guint32
count(guint n)
{
  static const guint32 odd[] = { 0, 4097, G_MAXUINT32, 65536 };
  const guint b = next();
  return b < 128 ? n : b < 160 ? n + 1 : odd[b % G_N_ELEMENTS(odd)];
}

#define LIST(n, ...) make_list(n, (const void *[]){ __VA_ARGS__ })

static const void *
make_list(guint n, const void *const *entries)
{
  const void **list = make((n + 1) * sizeof *list);
  const guint b = next();
  memcpy(list, entries, n * sizeof *list);
  if (b >= 128 && b < 200)
    list[b % n] = b & 1 ? NULL : list[0]; /* one that is missing, or there twice */
  return b < 200 ? list : NULL;
}

/* --- an op --- */

static VitrailParam *
make_param(const char *key, VitrailParamType type)
{
  VitrailParam *p = make(sizeof *p);
  const gboolean is_choice = type == VITRAIL_PARAM_CHOICE;
  *p =
    (VitrailParam){ size(sizeof *p), word(type), text(key), text("Title"), text("Help."), text("Group"), text("µm") };
  p->min = number(is_choice ? 0 : -1);
  p->max = number(is_choice ? 0 : 9);
  for (int i = 0; i < 4; i++)
    p->initial[i] = number(1);
  p->step = number(1);
  p->unit_px = type == VITRAIL_PARAM_FLOAT ? text("px") : NULL;
  p->initial_px = number(2);
  p->n_choices = is_choice ? count(2) : 0;
  p->flags = (guint32)word(0);
  p->choices = is_choice ? LIST(2, text("one"), text("two")) : NULL;
  p->choice_titles = is_choice && p->n_choices < MOST ? LIST(MOST, text("One"), text("Two"), "Three") : NULL;
  return p;
}

static VitrailStage *
make_stage(const char *id, VitrailStageKind kind)
{
  VitrailStage *s = make(sizeof *s);
  *s = (VitrailStage){ size(sizeof *s), word(kind),   text(id), text("Title"),    text("Help."), text("OD"),
                       text("px"),      text("gray"), word(0),  (guint32)word(0), number(0),     number(1) };
  s->empty_param = text("fill");
  s->empty_reason = text("Nothing is filled.");
  return s;
}

static VitrailInputSpec *
make_input(const char *id, VitrailInputKind kind)
{
  VitrailInputSpec *i = make(sizeof *i);
  *i = (VitrailInputSpec){ size(sizeof *i), word(kind), text(id), text("Image"), text("Help."), (guint32)word(2) };
  return i;
}

static void
make_parts(VitrailOp *op)
{
  op->inputs = LIST(2, make_input("image", VITRAIL_INPUT_IMAGE), make_input("mask", VITRAIL_INPUT_SCALAR));
  op->params = LIST(5, make_param("radius", VITRAIL_PARAM_FLOAT), make_param("n", VITRAIL_PARAM_INT),
                    make_param("fill", VITRAIL_PARAM_BOOL), make_param("mode", VITRAIL_PARAM_CHOICE),
                    make_param("stain", VITRAIL_PARAM_VECTOR));
  op->stages = LIST(2, make_stage("mask", VITRAIL_STAGE_MASK), make_stage("labels", VITRAIL_STAGE_LABELS));
  op->n_inputs = count(2);
  op->n_params = count(5);
  op->n_stages = count(2);
}

static VitrailOp *
make_op(void)
{
  VitrailOp *op = make(sizeof *op);
  *op = (VitrailOp){ size(sizeof *op), word(1), text("op"), text("Op"), text("Help.") };
  make_parts(op);
  op->columns = LIST(2, text("ROI"), text("Mean"));
  op->n_columns = count(2);
  return op;
}

/* --- steps and recipes --- */

static VitrailStep *
make_step(void)
{
  VitrailStep *s = make(sizeof *s);
  VitrailStepInput *in = make(sizeof *in);
  VitrailStepSetting *set = make(sizeof *set);
  *in = (VitrailStepInput){ size(sizeof *in), (guint32)word(1), text("image"), (guint32)word(0) };
  *set = (VitrailStepSetting){ size(sizeof *set), count(2),  text("how"), text("Help."), number(0),
                               number(9),         number(1), NULL,        text("px"),    text("3") };
  set->words = LIST(2, text("this"), text("that"));
  *s = (VitrailStep){ size(sizeof *s), word(0), text("read"), text("Read"), text("Help."), count(1), count(1) };
  s->inputs = LIST(1, in);
  s->settings = LIST(1, set);
  s->also = text("rest");
  return s;
}

static VitrailRecipe *
make_recipe(void)
{
  VitrailRecipe *r = make(sizeof *r);
  VitrailRecipeNode *node = make(sizeof *node);
  VitrailRecipeSetting *set = make(sizeof *set);
  VitrailMeasurement *m = make(sizeof *m);
  VitrailOp parts = { 0 };
  make_parts(&parts);
  *set = (VitrailRecipeSetting){ .size = size(sizeof *set), .key = text("how"), .value = text("'this'") };
  *m = (VitrailMeasurement){ size(sizeof *m), word(0), text("Area"), text("fill"), text("1"), word(0), 0, text("5") };
  *node =
    (VitrailRecipeNode){ size(sizeof *node), count(1), count(1), count(1), text("a"), text("read"), text("fill") };
  node->inputs = LIST(1, text("image"));
  node->also = text("b");
  node->stage = text("mask");
  node->settings = LIST(1, set);
  node->facts = LIST(1, set);
  *r = (VitrailRecipe){ size(sizeof *r), parts.n_inputs, parts.n_params, count(1),
                        parts.n_stages,  count(1),       count(1),       0,
                        text("r"),       text("1"),      text("R"),      text("Help.") };
  r->inputs = parts.inputs;
  r->params = parts.params;
  r->stages = parts.stages;
  r->nodes = LIST(1, node);
  r->measurements = LIST(1, m);
  r->certain = LIST(1, text("a"));
  return r;
}

/* --- functions that are never called here --- */

static VitrailStatus
session_open(VitrailSession **session)
{
  return VITRAIL_INTERNAL;
}

static void
session_close(VitrailSession *session)
{
}

static uint32_t
session_backends(VitrailSession *session, const VitrailBackendInfo *const **infos)
{
  return 0;
}

static VitrailStatus
run(VitrailSession *session, const VitrailRequest *request, const VitrailHost *host, char *message, size_t message_size)
{
  return VITRAIL_INTERNAL;
}

static VitrailPlugin *
make_plugin(void)
{
  VitrailPlugin *p = make(sizeof *p);
  VitrailAlgorithm *a = make(sizeof *a);
  *a = (VitrailAlgorithm){ size(sizeof *a), 0, text("op"), text("cpu"), text("fh"), text("Fast") };
  *p = (VitrailPlugin){ size(sizeof *p), VITRAIL_ABI_MAJOR, VITRAIL_ABI_MINOR, text("p"),
                        text("P"),       text("1"),         text("MIT") };
  p->ops = LIST(1, make_op());
  p->algorithms = LIST(1, a);
  p->n_ops = count(1);
  p->n_algorithms = count(1);
  p->session_open = next() < 250 ? session_open : NULL;
  p->session_close = session_close;
  p->session_backends = session_backends;
  p->run = next() < 250 ? run : NULL;
  p->steps = LIST(1, make_step());
  p->recipes = LIST(1, make_recipe());
  p->n_steps = count(1);
  p->n_recipes = count(1);
  return p;
}

/* --- what others do with it --- */

static void
check_text(const char *one)
{
  vt_fuzz_check(one && g_utf8_validate(one, -1, NULL), "a text that is none", one);
}

/* What each parameter begins with is a value that a person could give, and every one has a text. */
static void
check_params(const VitrailOp *op, gboolean calibrated)
{
  g_autoptr(VtParams) params = vt_params_new(op, calibrated);
  for (guint i = 0; i < op->n_params; i++) {
    g_autofree char *value = vt_params_dup_text(params, i), *shown = vt_params_dup_shown(params, i);
    g_autofree char *both = g_strconcat(op->params[i]->key, "=", value, NULL);
    g_autoptr(GError) error = NULL;
    check_text(shown);
    (void)vt_param_count_digits(op->params[i]);
    vt_params_set_from_string(params, both, &error);
    vt_fuzz_check(!error, "a default that is refused", error ? error->message : NULL);
  }
}

static void
check_op(const VitrailOp *op)
{
  check_text(op->title);
  check_text(op->help);
  for (guint i = 0; i < op->n_stages; i++)
    check_text(op->stages[i]->title);
  for (guint i = 0; i < op->n_inputs; i++)
    check_text(op->inputs[i]->title);
  for (guint i = 0; i < op->n_columns; i++)
    check_text(op->columns[i]);
  check_params(op, TRUE);
  check_params(op, FALSE);
}

/* It can be written down, and called by a recipe of a person's own. */
static void
check_recipe(const VitrailPlugin *plugin, const VitrailRecipe *recipe)
{
  g_autoptr(JsonNode) root = vt_recipe_to_json(recipe, NULL, NULL);
  g_autofree char *json = json_to_string(root, FALSE);
  g_autofree char *call = g_strdup_printf(
    "{\"vitrail-recipe\":1,\"id\":\"mine\",\"inputs\":[{\"id\":\"image\",\"primary\":true}],\"nodes\":[{"
    "\"id\":\"c\",\"recipe\":\"%s\",\"inputs\":[\"image\",\"image\"],\"settings\":{\"radius\":\"2\"}}]}",
    recipe->id);
  check_text(json);
  const char *const texts[] = { json, call };
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(VtRecipe) parsed = vt_recipe_parse(texts[i], "fuzz", plugin, &error);
    vt_fuzz_check((parsed != NULL) == (error == NULL), "neither read nor an error, or both", texts[i]);
  }
}

static void
check_plugin(const VitrailPlugin *plugin)
{
  for (guint i = 0; i < plugin->n_ops; i++)
    check_op(plugin->ops[i]);
  for (guint i = 0; i < plugin->n_recipes; i++)
    check_recipe(plugin, plugin->recipes[i]);
}

/* Three bytes of the input are one change: its place, and the byte; two hundred and more cut the end off there. */
static void
change(GByteArray *bytes)
{
  while (input.size >= 3 && bytes->len > 0) {
    const guint high = next(), at = (high << 8 | next()) % bytes->len, b = next();
    if (b >= 200)
      g_byte_array_set_size(bytes, at);
    else
      bytes->data[at] = (guint8)(b * 7);
  }
}

static void
check_kept(const VitrailPlugin *plugin)
{
  const guint32 functions = next() % 8;
  GByteArray *bytes = g_byte_array_new();
  g_byte_array_append(bytes, (const guint8 *)&functions, sizeof functions);
  const gboolean is_changed = input.size >= 3, fits = vt_abi_pack(bytes, &vt_abi_plugin, plugin);
  change(bytes);
  g_autoptr(GBytes) told = g_byte_array_free_to_bytes(bytes);
  g_autoptr(VtWorker) worker = vt_worker_new_told("/fuzz.so", told);
  if (worker)
    check_plugin(vt_worker_check(worker, NULL));
  vt_fuzz_check(worker || is_changed || !fits, "sound tables that are refused when they were kept", NULL);
}

size_t
vt_fuzz_seed(unsigned index, uint8_t *data)
{
  enum { FIELDS = 360 };
  memset(data, 0, FIELDS);
  return index == 0 ? FIELDS : 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
  g_autoptr(GError) error = NULL;
  g_log_set_always_fatal(G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING | G_LOG_FATAL_MASK);
  input.data = data;
  input.size = n;
  input.memory = g_ptr_array_new_with_free_func(g_free);
  const VitrailPlugin *plugin = vt_plugin_check(make_plugin(), "/fuzz.so", &error);
  vt_fuzz_check((plugin != NULL) == (error == NULL), "neither usable nor an error, or both", NULL);
  if (error)
    check_text(error->message);
  if (plugin) {
    check_plugin(plugin);
    check_kept(plugin);
  }
  vt_fuzz_check(plugin || n > 0, "a sound plugin is refused", error ? error->message : NULL);
  g_ptr_array_unref(input.memory);
  return 0;
}
