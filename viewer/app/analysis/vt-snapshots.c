/* SPDX-License-Identifier: MIT */
#include "analysis/vt-snapshots.h"

#include "base/vt-define.h"
#include "analysis/vt-analysis-private.h"
#include "common/vt-owned.h"
#include "common/vt-signals.h"
#include "common/vt-params-words.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"

struct _VtSnapshots {
  GObject parent;
  VtAnalysis *analysis;
  VtReference *reference;
  GPtrArray *list; /* VtSnapshot */
  gint a;          /* as it was told */
};

G_DEFINE_FINAL_TYPE(VtSnapshots, vt_snapshots, G_TYPE_OBJECT)

static void
emit_changed(VtSnapshots *self)
{
  self->a = vt_snapshots_get_a(self);
  g_signal_emit_by_name(self, "changed");
}

VT_DEFINE_FREE(snapshot_free, VtSnapshot, VT_FREES(g_free, name) VT_FREES(vt_params_free, params))

VT_GETTER(guint, vt_snapshots_get_n, VtSnapshots, list->len)

const VtSnapshot *
vt_snapshots_get(VtSnapshots *self, guint i)
{
  return self->list->pdata[i];
}

static gint
find(VtSnapshots *self, const VtParams *params)
{
  for (guint i = 0; params && i < self->list->len; i++)
    if (vt_params_equal(vt_snapshots_get(self, i)->params, params))
      return (gint)i;
  return -1;
}

static gboolean
has_name(VtSnapshots *self, const char *name)
{
  for (guint i = 0; i < self->list->len; i++)
    if (g_str_equal(vt_snapshots_get(self, i)->name, name))
      return TRUE;
  return FALSE;
}

/* Takes `name`; what another one is called gets a number. */
static char *
dup_unique(VtSnapshots *self, char *name)
{
  g_autofree char *base = name;
  char *unique = g_strdup(base);
  for (guint n = 2; has_name(self, unique); n++) {
    g_free(unique);
    unique = g_strdup_printf("%s (%u)", base, n);
  }
  return unique;
}

static char *
dup_own_name(const VtParams *params)
{
  g_autoptr(VtParams) plain = vt_params_new(params->op, params->calibrated);
  g_autofree char *side = vt_params_dup_side(params, plain);
  return g_strdup(*side ? side : vt_translate(params->op->title));
}

gboolean
vt_snapshots_keep(VtSnapshots *self, const char *name, const VitrailPlugin *plugin, const VtParams *params,
                  guint *place, GError **error)
{
  gint found = find(self, params);
  if (found < 0 && self->list->len >= VT_SNAPSHOTS_MOST) {
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("%u snapshots are kept already. Delete one first."),
                        VT_SNAPSHOTS_MOST);
  } else if (found < 0) {
    VtSnapshot *snapshot = g_new0(VtSnapshot, 1);
    snapshot->name = dup_unique(self, name ? g_strdup(name) : dup_own_name(params));
    snapshot->plugin = plugin;
    snapshot->params = vt_params_copy(params);
    g_ptr_array_add(self->list, snapshot);
    found = (gint)self->list->len - 1;
  }
  vt_test_log("snapshot %d %s", found, vt_snapshots_get(self, (guint)found)->name);
  if (place)
    *place = (guint)found;
  emit_changed(self);
  return TRUE;
}

gboolean
vt_snapshots_keep_present(VtSnapshots *self, GError **error)
{
  if (!self->analysis->op)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("There is no analysis whose parameters could be kept."));
  return vt_snapshots_keep(self, NULL, self->analysis->plugin, self->analysis->params, NULL, error);
}

void
vt_snapshots_rename(VtSnapshots *self, guint i, const char *name)
{
  VtSnapshot *snapshot = self->list->pdata[i];
  char *stripped = g_strstrip(g_strdup(name));
  if (*stripped && !g_str_equal(stripped, snapshot->name)) {
    g_free(snapshot->name);
    snapshot->name = g_strdup(""); /* its own is no other's */
    char *unique = dup_unique(self, stripped);
    g_free(snapshot->name);
    snapshot->name = unique;
    vt_test_log("snapshot-named %u %s", i, unique);
  } else {
    g_free(stripped);
  }
  emit_changed(self);
}

void
vt_snapshots_delete(VtSnapshots *self, guint i)
{
  g_ptr_array_remove_index(self->list, i);
  vt_test_log("snapshot-deleted %u %u", i, self->list->len);
  emit_changed(self);
}

gboolean
vt_snapshots_check(VtSnapshots *self, guint i, GError **error)
{
  double mpp_x, mpp_y;
  const gboolean calibrated = !self->analysis->slide || vt_slide_get_mpp(self->analysis->slide, &mpp_x, &mpp_y);
  const VtSnapshot *snapshot = vt_snapshots_get(self, i);
  if (snapshot->params->calibrated == calibrated)
    return TRUE;
  return vt_error_set(error, VITRAIL_BAD_ARGUMENT,
                      calibrated ? _("“%s” was kept on a slide without a pixel size: its lengths mean nothing in µm.")
                                 : _("“%s” was kept on a slide with a pixel size: its lengths mean nothing in pixels."),
                      snapshot->name);
}

gboolean
vt_snapshots_compare_with(VtSnapshots *self, guint i, GError **error)
{
  const VtSnapshot *snapshot = vt_snapshots_get(self, i);
  if (!vt_snapshots_check(self, i, error))
    return FALSE;
  vt_reference_pin_params(self->reference, snapshot->plugin, snapshot->params);
  vt_test_log("snapshot-a %d", vt_snapshots_get_a(self));
  return TRUE;
}

gint
vt_snapshots_get_a(VtSnapshots *self)
{
  return find(self, vt_reference_get_params(self->reference));
}

static void
on_reference(VtSnapshots *self)
{
  if (vt_snapshots_get_a(self) != self->a)
    emit_changed(self);
}

static void
vt_snapshots_class_init(VtSnapshotsClass *klass)
{
  VT_OWNS(klass, VtSnapshots, g_ptr_array_unref, list);
  VT_OWNS(klass, VtSnapshots, g_object_unref, reference, analysis);
  vt_signals_new(VT_TYPE_SNAPSHOTS, "changed", NULL);
}

static void
vt_snapshots_init(VtSnapshots *self)
{
  self->list = g_ptr_array_new_with_free_func(snapshot_free);
  self->a = -1;
}

VtSnapshots *
vt_snapshots_new(VtAnalysis *analysis, VtReference *reference)
{
  VtSnapshots *self = g_object_new(VT_TYPE_SNAPSHOTS, NULL);
  self->analysis = g_object_ref(analysis);
  self->reference = g_object_ref(reference);
  g_signal_connect_object(reference, "changed", G_CALLBACK(on_reference), self, G_CONNECT_SWAPPED);
  return self;
}
