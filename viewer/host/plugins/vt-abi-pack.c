/* SPDX-License-Identifier: MIT */
#include "plugins/vt-abi-pack.h"

#include <string.h>

#define MAX_COUNT (1u << 24)
#define MAX_NUMBERS (1u << 26) /* of outlines */
#define MAX_BYTES (1u << 31)

typedef enum {
  TEXT,    /* const char *: UTF-8 or not; or NULL */
  TEXTS,   /* a list of them */
  STRUCTS, /* a list of pointers to structs of `shape` */
  WORDS,   /* a list of guint32 */
  NUMBERS, /* a list of double */
  POINTS,  /* pairs of double, as many as the list of guint32 before says in all */
  FLAG,    /* a bool */
  NOTHING, /* pointers that do not travel */
} Kind;

typedef struct {
  Kind kind;
  guint at, count; /* offsets of the field, and of the guint32 that counts; of NOTHING: bytes */
  const VtAbiShape *shape;
} Field;

struct VtAbiShape {
  gsize size;
  const Field *fields;
  guint n_fields;
};

#define AT(type, field) G_STRUCT_OFFSET(type, field)
#define A_TEXT(type, field) \
  { \
    TEXT, AT(type, field), 0, NULL \
  }
#define A_LIST(kind, type, n, field) \
  { \
    kind, AT(type, field), AT(type, n), NULL \
  }
#define STRUCTS_OF(type, n, field, shape) \
  { \
    STRUCTS, AT(type, field), AT(type, n), &(shape) \
  }
#define A_NOTHING(type, field) \
  { \
    NOTHING, AT(type, field), sizeof(((type *)0)->field), NULL \
  }
#define FIELDS(name, ...) static const Field name##_fields[] = { __VA_ARGS__ }
#define SHAPE_OF(name, type) \
  { \
    sizeof(type), name##_fields, G_N_ELEMENTS(name##_fields) \
  }
#define SHAPE(name, type, ...) \
  FIELDS(name, __VA_ARGS__); \
  const VtAbiShape name = SHAPE_OF(name, type)
#define PART(name, type, ...) \
  FIELDS(name, __VA_ARGS__); \
  static const VtAbiShape name = SHAPE_OF(name, type)

/* --- the structs; those of which others are made first --- */

PART(param, VitrailParam, A_TEXT(VitrailParam, key), A_TEXT(VitrailParam, title), A_TEXT(VitrailParam, help),
     A_TEXT(VitrailParam, group), A_TEXT(VitrailParam, unit), A_TEXT(VitrailParam, unit_px),
     A_LIST(TEXTS, VitrailParam, n_choices, choices), A_LIST(TEXTS, VitrailParam, n_choices, choice_titles),
     A_NOTHING(VitrailParam, reserved));
PART(stage, VitrailStage, A_TEXT(VitrailStage, id), A_TEXT(VitrailStage, title), A_TEXT(VitrailStage, help),
     A_TEXT(VitrailStage, unit), A_TEXT(VitrailStage, unit_px), A_TEXT(VitrailStage, colormap),
     A_TEXT(VitrailStage, empty_param), A_TEXT(VitrailStage, empty_reason), A_NOTHING(VitrailStage, reserved));
PART(input_spec, VitrailInputSpec, A_TEXT(VitrailInputSpec, id), A_TEXT(VitrailInputSpec, title),
     A_TEXT(VitrailInputSpec, help), A_NOTHING(VitrailInputSpec, reserved));
SHAPE(vt_abi_op, VitrailOp, A_TEXT(VitrailOp, id), A_TEXT(VitrailOp, title), A_TEXT(VitrailOp, help),
      STRUCTS_OF(VitrailOp, n_inputs, inputs, input_spec), STRUCTS_OF(VitrailOp, n_params, params, param),
      STRUCTS_OF(VitrailOp, n_stages, stages, stage), A_LIST(TEXTS, VitrailOp, n_columns, columns),
      A_NOTHING(VitrailOp, reserved));
PART(algorithm, VitrailAlgorithm, A_TEXT(VitrailAlgorithm, op_id), A_TEXT(VitrailAlgorithm, backend),
     A_TEXT(VitrailAlgorithm, id), A_TEXT(VitrailAlgorithm, title), A_NOTHING(VitrailAlgorithm, reserved));
PART(step_input, VitrailStepInput, A_TEXT(VitrailStepInput, title));
PART(step_setting, VitrailStepSetting, A_TEXT(VitrailStepSetting, key), A_TEXT(VitrailStepSetting, help),
     A_LIST(TEXTS, VitrailStepSetting, n_words, words), A_TEXT(VitrailStepSetting, unit),
     A_TEXT(VitrailStepSetting, begin));
PART(step, VitrailStep, A_TEXT(VitrailStep, id), A_TEXT(VitrailStep, title), A_TEXT(VitrailStep, help),
     STRUCTS_OF(VitrailStep, n_inputs, inputs, step_input), STRUCTS_OF(VitrailStep, n_settings, settings, step_setting),
     A_TEXT(VitrailStep, also), A_NOTHING(VitrailStep, reserved), A_LIST(TEXTS, VitrailStep, n_columns, columns));
PART(recipe_setting, VitrailRecipeSetting, A_TEXT(VitrailRecipeSetting, key), A_TEXT(VitrailRecipeSetting, value));
PART(node, VitrailRecipeNode, A_TEXT(VitrailRecipeNode, id), A_TEXT(VitrailRecipeNode, step),
     A_TEXT(VitrailRecipeNode, when), A_LIST(TEXTS, VitrailRecipeNode, n_inputs, inputs),
     A_TEXT(VitrailRecipeNode, also), A_TEXT(VitrailRecipeNode, stage),
     STRUCTS_OF(VitrailRecipeNode, n_settings, settings, recipe_setting),
     STRUCTS_OF(VitrailRecipeNode, n_facts, facts, recipe_setting), A_NOTHING(VitrailRecipeNode, reserved));
PART(measurement, VitrailMeasurement, A_TEXT(VitrailMeasurement, name), A_TEXT(VitrailMeasurement, when),
     A_TEXT(VitrailMeasurement, unit), A_TEXT(VitrailMeasurement, within));
SHAPE(vt_abi_recipe, VitrailRecipe, A_TEXT(VitrailRecipe, id), A_TEXT(VitrailRecipe, version),
      A_TEXT(VitrailRecipe, title), A_TEXT(VitrailRecipe, help),
      STRUCTS_OF(VitrailRecipe, n_inputs, inputs, input_spec), STRUCTS_OF(VitrailRecipe, n_params, params, param),
      STRUCTS_OF(VitrailRecipe, n_nodes, nodes, node), STRUCTS_OF(VitrailRecipe, n_stages, stages, stage),
      STRUCTS_OF(VitrailRecipe, n_measurements, measurements, measurement),
      A_LIST(TEXTS, VitrailRecipe, n_certain, certain), A_NOTHING(VitrailRecipe, reserved));
SHAPE(vt_abi_plugin, VitrailPlugin, A_TEXT(VitrailPlugin, id), A_TEXT(VitrailPlugin, title),
      A_TEXT(VitrailPlugin, version), A_TEXT(VitrailPlugin, licence), STRUCTS_OF(VitrailPlugin, n_ops, ops, vt_abi_op),
      STRUCTS_OF(VitrailPlugin, n_algorithms, algorithms, algorithm), A_NOTHING(VitrailPlugin, session_open),
      A_NOTHING(VitrailPlugin, session_close), A_NOTHING(VitrailPlugin, session_backends),
      A_NOTHING(VitrailPlugin, run), A_NOTHING(VitrailPlugin, session_forget),
      STRUCTS_OF(VitrailPlugin, n_steps, steps, step), STRUCTS_OF(VitrailPlugin, n_recipes, recipes, vt_abi_recipe),
      A_NOTHING(VitrailPlugin, recipe_check), A_NOTHING(VitrailPlugin, session_add_recipe),
      A_NOTHING(VitrailPlugin, reserved));
PART(backend, VitrailBackendInfo, { FLAG, AT(VitrailBackendInfo, available), 0, NULL }, A_TEXT(VitrailBackendInfo, id),
     A_TEXT(VitrailBackendInfo, title), A_TEXT(VitrailBackendInfo, device), A_TEXT(VitrailBackendInfo, reason),
     A_NOTHING(VitrailBackendInfo, reserved));
SHAPE(vt_abi_backends, VtAbiBackends, STRUCTS_OF(VtAbiBackends, n, infos, backend));
PART(value, VitrailParamValue, A_TEXT(VitrailParamValue, key));
PART(input, VitrailInput, A_TEXT(VitrailInput, id), A_NOTHING(VitrailInput, reserved));
PART(roi, VitrailRoi, A_TEXT(VitrailRoi, name), A_LIST(WORDS, VitrailRoi, n_rings, ring_sizes),
     A_LIST(POINTS, VitrailRoi, n_rings, points), A_NOTHING(VitrailRoi, reserved));
SHAPE(vt_abi_request, VitrailRequest, A_TEXT(VitrailRequest, op_id), A_TEXT(VitrailRequest, backend),
      STRUCTS_OF(VitrailRequest, n_params, params, value), STRUCTS_OF(VitrailRequest, n_inputs, inputs, input),
      STRUCTS_OF(VitrailRequest, n_rois, rois, roi), A_TEXT(VitrailRequest, scratch_dir),
      A_LIST(WORDS, VitrailRequest, n_example_numbers, examples), A_TEXT(VitrailRequest, examples_of),
      A_LIST(NUMBERS, VitrailRequest, n_place_numbers, places));
SHAPE(vt_abi_object, VitrailObject, A_LIST(WORDS, VitrailObject, n_rings, ring_sizes),
      A_LIST(POINTS, VitrailObject, n_rings, points), A_LIST(TEXTS, VitrailObject, n_measurements, measurement_names),
      A_LIST(NUMBERS, VitrailObject, n_measurements, measurements), A_NOTHING(VitrailObject, reserved));
SHAPE(vt_abi_row, VitrailRow, A_TEXT(VitrailRow, label), A_LIST(NUMBERS, VitrailRow, n_values, values),
      A_NOTHING(VitrailRow, reserved));
SHAPE(vt_abi_verdict, VitrailVerdict, A_TEXT(VitrailVerdict, node), A_TEXT(VitrailVerdict, of),
      A_TEXT(VitrailVerdict, unit));

SHAPE(vt_abi_wave, VitrailWave, A_TEXT(VitrailWave, node), A_NOTHING(VitrailWave, ticks), A_NOTHING(VitrailWave, begin),
      A_NOTHING(VitrailWave, end), A_NOTHING(VitrailWave, made), A_TEXT(VitrailWave, unit),
      A_NOTHING(VitrailWave, levels), A_TEXT(VitrailWave, tick_unit), A_NOTHING(VitrailWave, reserved));

SHAPE(vt_abi_lengths, VitrailRunLengths, A_LIST(WORDS, VitrailRunLengths, n_pixels, levels),
      A_LIST(WORDS, VitrailRunLengths, n_counts, counts), A_TEXT(VitrailRunLengths, unit),
      A_NOTHING(VitrailRunLengths, reserved));

SHAPE(vt_abi_overlaps, VitrailOverlaps, A_LIST(WORDS, VitrailOverlaps, n_numbers, numbers),
      A_NOTHING(VitrailOverlaps, reserved));

/* --- packing: the struct's bytes, then each field in order. A text, or a list, begins with its length + 1; 0: NULL --- */

static gconstpointer
get_pointer(const guint8 *bytes, guint at)
{
  gconstpointer pointer = NULL;
  memcpy(&pointer, bytes + at, sizeof pointer);
  return pointer;
}

static guint32
get_word(const guint8 *bytes, guint at)
{
  guint32 word = 0;
  memcpy(&word, bytes + at, sizeof word);
  return word;
}

static void
put_word(GByteArray *bytes, guint32 word)
{
  g_byte_array_append(bytes, (const guint8 *)&word, sizeof word);
}

static gboolean
put_text(GByteArray *bytes, const char *text)
{
  const gsize n = text ? strlen(text) : 0;
  if (n >= MAX_COUNT)
    return FALSE;
  put_word(bytes, text ? (guint32)n + 1 : 0);
  g_byte_array_append(bytes, (const guint8 *)text, (guint)n);
  return TRUE;
}

/* How many items a list has. FALSE: too many. */
static gboolean
count_items(const guint8 *ours, const Field *field, guint64 *n)
{
  *n = get_word(ours, field->count);
  if (field->kind == POINTS && *n <= MAX_COUNT) {
    const guint32 *sizes = get_pointer(ours, field[-1].at);
    const guint64 n_rings = sizes ? *n : 0;
    *n = 0;
    for (guint64 i = 0; i < n_rings; i++)
      *n += 2 * (guint64)sizes[i];
  }
  return *n <= (field->kind == POINTS ? MAX_NUMBERS : MAX_COUNT);
}

static gsize
get_item_size(Kind kind)
{
  return kind == WORDS ? sizeof(guint32) : kind == NUMBERS || kind == POINTS ? sizeof(double) : sizeof(gpointer);
}

static gboolean pack(GByteArray *bytes, const VtAbiShape *shape, gconstpointer theirs);

static gboolean
pack_list(GByteArray *bytes, const guint8 *ours, const Field *field)
{
  gconstpointer list = get_pointer(ours, field->at);
  guint64 n = 0;
  gboolean fits = count_items(ours, field, &n);
  put_word(bytes, fits && list ? (guint32)n + 1 : 0);
  if (!fits || !list)
    return fits;
  if (field->kind != TEXTS && field->kind != STRUCTS)
    g_byte_array_append(bytes, list, (guint)(n * get_item_size(field->kind)));
  else
    for (guint64 i = 0; fits && i < n; i++) {
      gconstpointer item = get_pointer(list, (guint)(i * sizeof(gpointer)));
      fits = field->kind == TEXTS ? put_text(bytes, item) : pack(bytes, field->shape, item);
    }
  return fits && bytes->len < MAX_BYTES;
}

static gboolean
pack(GByteArray *bytes, const VtAbiShape *shape, gconstpointer theirs)
{
  g_autofree guint8 *ours = g_malloc0(shape->size);
  gboolean fits = theirs != NULL;
  if (fits) { /* no compiler makes a struct that ends within a word: what is left would be half a pointer */
    const guint32 size = get_word(theirs, 0);
    memcpy(ours, theirs, MIN(size & ~7u, shape->size));
    memcpy(ours, &size, sizeof size);
  }
  const gsize at = bytes->len;
  g_byte_array_append(bytes, ours, (guint)shape->size);
  for (guint i = 0; fits && i < shape->n_fields; i++) {
    const Field *field = &shape->fields[i];
    if (field->kind == TEXT)
      fits = put_text(bytes, get_pointer(ours, field->at));
    else if (field->kind != FLAG && field->kind != NOTHING)
      fits = pack_list(bytes, ours, field);
    if (field->kind != FLAG) /* no address leaves this process */
      memset(bytes->data + at + field->at, 0, field->kind == NOTHING ? field->count : sizeof(gpointer));
  }
  return fits;
}

gboolean
vt_abi_pack(GByteArray *bytes, const VtAbiShape *shape, gconstpointer theirs)
{
  const guint n = bytes->len;
  const gboolean fits = pack(bytes, shape, theirs);
  if (!fits)
    g_byte_array_set_size(bytes, n);
  return fits;
}

/* --- unpacking --- */

typedef struct {
  const guint8 *data;
  gsize n; /* what is left */
  GPtrArray *memory;
} Source;

static gpointer
allocate(Source *source, gsize n)
{
  gpointer memory = g_malloc0(n);
  g_ptr_array_add(source->memory, memory);
  return memory;
}

static gboolean
take(Source *source, gpointer to, gsize n)
{
  if (n > source->n)
    return FALSE;
  if (n > 0)
    memcpy(to, source->data, n);
  source->data += n;
  source->n -= n;
  return TRUE;
}

static gboolean
take_text(Source *source, const char **text)
{
  guint32 n = 0;
  *text = NULL;
  if (!take(source, &n, sizeof n) || (n > 0 && n - 1 > source->n))
    return FALSE;
  if (n == 0)
    return TRUE;
  char *copy = allocate(source, n);
  *text = copy;
  return take(source, copy, n - 1) && !memchr(copy, '\0', n - 1);
}

static gpointer unpack(const VtAbiShape *shape, Source *source);

/* Each item takes a byte at least, so that no memory is asked for that the bytes do not bear. */
static gboolean
take_list(Source *source, const guint8 *ours, const Field *field, gpointer *list)
{
  guint64 n = 0;
  guint32 there = 0;
  *list = NULL;
  if (!count_items(ours, field, &n) || !take(source, &there, sizeof there))
    return FALSE;
  if (there == 0)
    return TRUE;
  const gsize item = get_item_size(field->kind);
  const gboolean is_plain = field->kind != TEXTS && field->kind != STRUCTS;
  if (there - 1 != n || n > source->n || (is_plain && n * item > source->n))
    return FALSE;
  guint8 *items = allocate(source, (n + 1) * item);
  *list = items;
  gboolean fine = is_plain ? take(source, items, n * item) : TRUE;
  for (guint64 i = 0; fine && !is_plain && i < n; i++) {
    const char *text = NULL;
    gconstpointer pointer = NULL;
    if (field->kind == TEXTS)
      fine = take_text(source, &text);
    else
      pointer = unpack(field->shape, source);
    if (field->kind == TEXTS)
      pointer = text;
    else
      fine = pointer != NULL;
    memcpy(items + i * item, &pointer, sizeof pointer);
  }
  return fine;
}

static gboolean
take_field(Source *source, guint8 *ours, const Field *field)
{
  gpointer pointer = NULL;
  const char *text = NULL;
  switch (field->kind) {
  case NOTHING: memset(ours + field->at, 0, field->count); return TRUE;
  case FLAG: ours[field->at] = ours[field->at] != 0; return TRUE;
  case TEXT:
    if (!take_text(source, &text))
      return FALSE;
    memcpy(ours + field->at, &text, sizeof text);
    return TRUE;
  default:
    if (!take_list(source, ours, field, &pointer))
      return FALSE;
    memcpy(ours + field->at, &pointer, sizeof pointer);
    return TRUE;
  }
}

static gpointer
unpack(const VtAbiShape *shape, Source *source)
{
  if (source->n < shape->size)
    return NULL;
  guint8 *ours = allocate(source, shape->size);
  gboolean fine = take(source, ours, shape->size);
  for (guint i = 0; fine && i < shape->n_fields; i++)
    fine = take_field(source, ours, &shape->fields[i]);
  const guint32 size = MIN(get_word(ours, 0), (guint32)shape->size);
  memcpy(ours, &size, sizeof size);
  return fine ? ours : NULL;
}

gpointer
vt_abi_unpack(const VtAbiShape *shape, const guint8 *data, gsize n, GPtrArray *memory)
{
  Source source = { data, n, memory };
  gpointer whole = unpack(shape, &source);
  return source.n == 0 ? whole : NULL;
}
