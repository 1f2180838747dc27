/* SPDX-License-Identifier: MIT */
#include "panels/vt-object-sheet.h"

#include <glib/gi18n.h>
#include <math.h>

#include "base/vt-define.h"
#include "base/vt-file-private.h"

#define ROWS_A_PIECE 4096

VtObjectSheet *
vt_object_sheet_new(VtColumns *of)
{
  VtObjectSheet *self = g_new0(VtObjectSheet, 1);
  self->of = vt_columns_ref(of);
  self->rows = g_array_new(FALSE, FALSE, sizeof(guint));
  self->columns = g_array_new(FALSE, FALSE, sizeof(guint));
  self->titles = g_ptr_array_new_with_free_func(g_free);
  return self;
}

VT_DEFINE_TYPE_FREE(vt_object_sheet_free, VtObjectSheet,
                    VT_FREES(g_array_unref, rows, columns) VT_FREES(g_ptr_array_unref, titles)
                      VT_FREES(vt_columns_unref, of))

typedef struct {
  const VtObjectSheet *sheet;
  gboolean has_tabs;
  char *origin; /* of a file: what all rows have in common, with the separators before */
} Saving;

/* A field that has no separator in it, quoted where commas separate. */
static void
append_field(GString *text, const Saving *saving, const char *field)
{
  if (saving->has_tabs) {
    g_autofree char *plain = g_strdelimit(g_strdup(field), "\t\r\n", ' ');
    g_string_append(text, plain);
  } else {
    vt_text_append_csv_field(text, field);
  }
}

static void
append_cell(GString *text, const Saving *saving, guint row, guint column)
{
  const VtColumns *of = saving->sheet->of;
  const guint index = g_array_index(saving->sheet->rows, guint, row);
  g_autofree char *word = vt_columns_dup_word(of, index, column);
  const double value = vt_columns_get_value(of, index, column);
  if (word)
    append_field(text, saving, word);
  else if (column == VT_OBJECT_NUMBER)
    g_string_append_printf(text, "%" G_GINT64_FORMAT, ((const VtObject *)of->objects->pdata[index])->id);
  else if (vt_columns_is_number(of, column) && !isnan(value))
    vt_text_append_double(text, value);
}

/* --- for the clipboard --- */

char *
vt_object_sheet_dup_text(const VtObjectSheet *self)
{
  const Saving saving = { .sheet = self, .has_tabs = TRUE };
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < self->titles->len; i++)
    g_string_append_printf(text, "%s%s", i > 0 ? "\t" : "", (const char *)self->titles->pdata[i]);
  for (guint row = 0; row < self->rows->len; row++)
    for (guint i = 0; i < self->columns->len; i++) {
      g_string_append_c(text, i > 0 ? '\t' : '\n');
      append_cell(text, &saving, row, g_array_index(self->columns, guint, i));
    }
  g_string_append_c(text, '\n');
  return g_string_free(text, FALSE);
}

/* --- as a file --- */

static char *
dup_settings(const VtResult *result)
{
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint i = 0; i < result->op->n_params; i++) {
    g_autofree char *value = vt_params_dup_text(result->params, i);
    g_string_append_printf(text, "%s%s=%s", i > 0 ? " " : "", result->op->params[i]->key, value);
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}

static char *
dup_origin(const Saving *saving)
{
  const VtResult *result = saving->sheet->of->result;
  g_autofree char *settings = dup_settings(result);
  g_autofree char *pixel = g_strdup_printf("%.6g %s", result->used_pixel_size, result->calibrated ? "µm" : "px");
  const char *const fields[] = { result->source_name, result->op->id, pixel, settings };
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < G_N_ELEMENTS(fields); i++) {
    g_string_append_c(text, saving->has_tabs ? '\t' : ',');
    append_field(text, saving, fields[i]);
  }
  g_string_append(text, "\r\n");
  return g_string_free(text, FALSE);
}

static void
append_rows(GString *text, guint piece, gconstpointer user)
{
  const Saving *saving = user;
  const VtObjectSheet *sheet = saving->sheet;
  const guint end = MIN(sheet->rows->len, (piece + 1) * ROWS_A_PIECE);
  for (guint row = piece * ROWS_A_PIECE; row < end; row++) {
    for (guint i = 0; i < sheet->columns->len; i++) {
      if (i > 0)
        g_string_append_c(text, saving->has_tabs ? '\t' : ',');
      append_cell(text, saving, row, g_array_index(sheet->columns, guint, i));
    }
    g_string_append(text, saving->origin);
  }
}

gboolean
vt_object_sheet_save(const VtObjectSheet *self, const char *path, GError **error)
{
  static const char *const behind[] = { "Image", "Operation", "Pixel size", "Settings" };
  g_autofree char *lower = g_ascii_strdown(path, -1);
  Saving saving = { .sheet = self, .has_tabs = g_str_has_suffix(lower, ".tsv") };
  if (!saving.has_tabs && !g_str_has_suffix(lower, ".csv")) {
    g_autofree char *shown = vt_error_dup_path(path);
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_FILENAME,
                _("%s: the name must end in .csv or .tsv, which says what kind of file it is."), shown);
    return FALSE;
  }
  VtTextFile *file = vt_text_file_new(path, error);
  if (!file)
    return FALSE;
  saving.origin = dup_origin(&saving);
  for (guint i = 0; i < self->titles->len + G_N_ELEMENTS(behind); i++) {
    g_string_append(file->text, i == 0 ? "" : saving.has_tabs ? "\t" : ",");
    append_field(file->text, &saving, i < self->titles->len ? self->titles->pdata[i] : behind[i - self->titles->len]);
  }
  g_string_append(file->text, "\r\n");
  vt_text_file_append_pieces(file, g_get_num_processors(), (self->rows->len + ROWS_A_PIECE - 1) / ROWS_A_PIECE,
                             append_rows, &saving);
  g_free(saving.origin);
  return vt_text_file_close(file, error);
}
