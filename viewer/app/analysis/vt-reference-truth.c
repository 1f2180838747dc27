/* SPDX-License-Identifier: MIT
 *
 * The truth of a reference: outlines or dots of a file, or points that are drawn in the view; where it is complete. */
#include "analysis/vt-reference-private.h"

#include <glib/gi18n.h>

#include "analysis/vt-truth.h"
#include "base/vt-define.h"
#include "common/vt-test-log.h"

/* Takes all of it; note NULL: there is nothing to say. */
static void
take_truth(VtReference *self, GPtrArray *rois, char *file, char *note)
{
  vt_reference_clear(self);
  self->file = file;
  self->note = note;
  self->rois = rois;
  self->op = NULL;
  vt_test_log("reference %s %u", self->file, rois->len);
  vt_reference_schedule(self, 0);
  vt_reference_emit_changed(self);
}

gboolean
vt_reference_take(VtReference *self, VtShapes *shapes, GError **error)
{
  char *note = vt_shapes_dup_note(shapes, shapes->n_areas == 0);
  GPtrArray *rois = vt_truth_steal(shapes, error);
  if (rois)
    take_truth(self, rois, g_strdup(shapes->file), note);
  else
    g_free(note);
  return rois != NULL;
}

/* --- what is drawn in the view --- */

gboolean
vt_reference_take_points(VtReference *self, GError **error)
{
  GPtrArray *dots = vt_truth_dup_drawn(self->regions, VT_SHAPE_POINTS);
  if (!dots)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT,
                        _("There are no points. Set one in each true object with the tool for points (.) first."));
  take_truth(self, dots, g_strdup(_("the points drawn here")), NULL);
  self->is_of_points = TRUE;
  return TRUE;
}

static void
take_known(VtReference *self)
{
  g_clear_pointer(&self->known, g_ptr_array_unref);
  self->known = self->is_within ? vt_truth_dup_drawn(self->regions, VT_SHAPE_AREA) : NULL;
}

gboolean
vt_reference_set_within(VtReference *self, gboolean is_within, GError **error)
{
  g_autoptr(GPtrArray) areas = is_within ? vt_truth_dup_drawn(self->regions, VT_SHAPE_AREA) : NULL;
  if (is_within && !areas)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT,
                        _("There is no region. Draw one round each part in which the truth is complete first."));
  self->is_within = is_within;
  take_known(self);
  vt_test_log("within %d", is_within);
  vt_reference_schedule(self, 0);
  vt_reference_emit_changed(self);
  return TRUE;
}

void
vt_reference_set_of_all(VtReference *self, gboolean is_of_all)
{
  self->is_of_all = is_of_all;
  vt_test_log("of-all %d", is_of_all);
  vt_reference_schedule(self, 0);
  vt_reference_emit_changed(self);
}

/* Without a region left the truth is known everywhere again, without a point there is none. */
static void
on_drawn(VtReference *self, gboolean outlines)
{
  if (!outlines || (!self->is_within && !self->is_of_points))
    return;
  take_known(self);
  self->is_within = self->known != NULL;
  GPtrArray *dots = self->is_of_points ? vt_truth_dup_drawn(self->regions, VT_SHAPE_POINTS) : NULL;
  if (self->is_of_points && !dots) {
    vt_reference_clear(self);
    return;
  }
  if (dots) {
    g_ptr_array_unref(self->rois);
    self->rois = dots;
    vt_test_log("reference %s %u", self->file, dots->len);
  }
  vt_reference_schedule(self, 0);
  vt_reference_emit_changed(self);
}

void
vt_reference_set_regions(VtReference *self, VtRegions *regions)
{
  self->regions = g_object_ref(regions);
  g_signal_connect_object(regions, "changed", G_CALLBACK(on_drawn), self, G_CONNECT_SWAPPED);
}

double
vt_reference_get_bound(gboolean calibrated, guint i)
{
  static const double bounds[2][VT_REFERENCE_BOUNDS] = { { 50, 200, 800 }, { 25, 50, 100 } };
  return bounds[calibrated != FALSE][i];
}

VT_GETTER(gboolean, vt_reference_get_within, VtReference, is_within)
VT_GETTER(gboolean, vt_reference_get_of_all, VtReference, is_of_all)
VT_GETTER(GPtrArray *, vt_reference_get_known, VtReference, known)
