/* SPDX-License-Identifier: MIT */
#include "panels/vt-why-card.h"

#include <math.h>

#include "common/vt-owned.h"
#include "common/vt-template.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "common/vt-widgets.h"
#include "layers/vt-layer-stack.h"
#include "analysis/vt-why-pixels.h"
#include "panels/vt-why-run-rows.h"
#include "panels/vt-why-test.h"

struct _VtWhyCard {
  AdwBin parent;

  /* template */
  GtkLabel *outcome_label, *place_label, *changes_label, *pixels_label;
  GtkSpinner *spinner;
  GtkBox *answer_box, *changes_box, *tests_box, *values_box;
  GtkToggleButton *steps_button;

  VtWhy *why;
  VtAnalysis *analysis;
  VtCanvas *canvas;                /* borrowed: it outlives what lies over it */
  GtkPopoverMenu *menu;            /* borrowed: of what the canvas lies in */
  GtkWidget *below;                /* borrowed, likewise */
  const VtResult *listed, *valued; /* whose tests and whose values stand there; only compared */
  guint n_ways;                    /* that stand there */
  const char *steps_failure;       /* likewise */
  VtWhyRuns *runs;
  GPtrArray *run_rows;          /* VtWhyRunRows in the values, one for each texture map; borrowed */
  VtWhyPixels *pixels;          /* of the line that is pressed */
  const VitrailVerdict *saddle; /* of the answer: the pressed line speaks of it; or NULL */
  gboolean is_listing;
  const char *way_stage; /* the id, interned, of the one whose way is drawn; NULL: the last one's */
};

G_DEFINE_FINAL_TYPE(VtWhyCard, vt_why_card, ADW_TYPE_BIN)

/* --- what it came to --- */

static void
show_outcome(VtWhyCard *self, const VtResult *answer, gint64 x, gint64 y)
{
  const char *failure = vt_why_get_failure(self->why);
  g_autofree char *text = NULL;
  if (failure) {
    text = g_strdup(failure);
  } else if (!answer) {
    text = g_strdup(_("Asking why…"));
  } else if (vt_why_find_outcome(answer->op) < 0) {
    text = g_strdup(_("Why Here"));
  } else {
    const gint64 object = vt_why_get_object(answer, x, y);
    g_autofree char *number = g_strdup_printf("%'" G_GINT64_FORMAT, object);
    text = object > 0 ? g_strdup_printf(_("In Object %s"), number) : g_strdup(_("In No Object"));
  }
  gtk_label_set_text(self->outcome_label, text);
}

static void
show_place(VtWhyCard *self, const VtResult *answer, gint64 x, gint64 y)
{
  g_autoptr(GString) text = g_string_new(NULL);
  g_string_append_printf(text, _("x %lld, y %lld px"), (long long)x, (long long)y);
  if (answer && answer->is_preview) {
    g_autofree char *words = vt_analysis_dup_preview_words(answer);
    g_string_append_printf(text, " · %s", words);
  } else if (answer && answer->used_pixel_size > 0) {
    g_string_append_printf(text, answer->calibrated ? " · %.3g µm/px" : " · 1:%.3g", answer->used_pixel_size);
  }
  if (answer && !vt_why_is_current(self->why))
    g_string_append_printf(text, "\n%s", _("Out of date: asking again…"));
  gtk_label_set_text(self->place_label, text->str);
}

/* --- changes --- */

static void
add_change(VtWhyCard *self, const VtResult *answer, const VtChange *change)
{
  const VitrailParam *param = answer->op->params[change->param];
  const double now = answer->params->values[change->param][0];
  const char *unit = vt_params_get_unit(answer->params, change->param);
  g_autofree char *from = g_strdup_printf("%.*f", (int)vt_param_count_digits(param), now);
  const VitrailVerdict *verdict = &g_array_index(answer->verdicts, VitrailVerdict, change->verdict);
  const char *format = !change->is_of_hill                      ? "%s"
                       : verdict->flags & VITRAIL_VERDICT_HOLDS ? _("Joined with its neighbour: %s")
                                                                : _("Parted from its neighbour: %s");
  g_autofree char *step =
    g_strdup_printf("%s: %s → %s%s%s", vt_translate(param->title), from, change->value, *unit ? " " : "", unit);
  g_autofree char *text = g_strdup_printf(format, step);
  GtkWidget *label = gtk_label_new(text), *button = vt_button_new(NULL, _("Take over this value"), "win.why-adopt");
  gtk_label_set_wrap(GTK_LABEL(label), TRUE);
  gtk_button_set_child(GTK_BUTTON(button), label);
  gtk_actionable_set_action_target(GTK_ACTIONABLE(button), "u", change->verdict);
  vt_widget_set_accessible_label(button, text);
  gtk_box_append(self->changes_box, button);
}

static void
show_changes(VtWhyCard *self, const VtResult *answer, gint64 x, gint64 y)
{
  g_autoptr(GPtrArray) turning = vt_why_dup_turning(self->why);
  const gboolean has_outcome = answer && vt_why_find_outcome(answer->op) >= 0;
  const gboolean is_in = has_outcome && vt_why_get_object(answer, x, y) > 0;
  guint n_of_hill = 0; /* they part or join objects, and take no pixel out or in */
  VT_EACH_OF (const VtChange, change, turning)
    n_of_hill += change->is_of_hill;
  const gboolean moves = turning->len > n_of_hill;
  const char *text = is_in           ? n_of_hill > 0 ? _("One of these alone takes it out, or does what it says:")
                                                     : _("One of these alone takes it out:")
                               : n_of_hill > 0 ? _("One of these alone puts it into an object, or does what it says:")
                                     : _("One of these alone puts it into an object:");
  if (!moves)
    text = vt_why_is_trying(self->why) ? _("Trying other values…")
           : is_in                     ? _("No single value that is known would take it out.")
                                       : _("No single value that is known would put it into an object.");
  vt_widget_remove_all(GTK_WIDGET(self->changes_box));
  for (guint i = 0; i < turning->len; i++)
    add_change(self, answer, turning->pdata[i]);
  if (answer && answer->op->n_params == 0)
    text = _("This analysis has no parameter that could change it.");
  gtk_label_set_text(self->changes_label, text);
  gtk_widget_set_visible(GTK_WIDGET(self->changes_label), has_outcome);
}

/* --- tests --- */

static void
on_pixels(const VtRoi *outline, const char *failure, gpointer user)
{
  VtWhyCard *self = user;
  vt_canvas_set_spoken_of(self->canvas, outline);
  gtk_label_set_text(self->pixels_label, failure ? failure : "");
  gtk_widget_set_visible(GTK_WIDGET(self->pixels_label), failure != NULL);
}

static const VitrailVerdict *
get_verdict(const VtResult *answer, guint i)
{
  return &g_array_index(answer->verdicts, VitrailVerdict, i);
}

/* The line whose button is pressed; NULL: none. */
static VtWhyTest *
find_active(VtWhyCard *self)
{
  for (GtkWidget *row = gtk_widget_get_first_child(GTK_WIDGET(self->tests_box)); row;
       row = gtk_widget_get_next_sibling(row))
    if (VT_IS_WHY_TEST(row) && vt_why_test_get_active(VT_WHY_TEST(row)))
      return VT_WHY_TEST(row);
  return NULL;
}

static void show_way(VtWhyCard *self);
static void show_pixels(VtWhyCard *self);

/* No line of these is pressed any more, except in `but`. */
static void
release_runs(VtWhyCard *self, const VtWhyRunRows *but)
{
  for (guint i = 0; i < self->run_rows->len; i++)
    if (self->run_rows->pdata[i] != but)
      vt_why_run_rows_release(self->run_rows->pdata[i]);
}

/* Of `rows`, else of another map. Owned; NULL: none. */
static VtRoi *
dup_lit(VtWhyCard *self, VtWhyRunRows *rows)
{
  VtRoi *lit = vt_why_run_rows_dup_lit(rows);
  for (guint i = 0; !lit && i < self->run_rows->len; i++)
    lit = vt_why_run_rows_dup_lit(self->run_rows->pdata[i]);
  return lit;
}

/* A run's go first, as long as one is lit; then those of the pressed test again. */
static void
on_run_lit(VtWhyRunRows *rows, VtWhyCard *self)
{
  VtWhyTest *active = find_active(self);
  if (vt_why_run_rows_is_pressed(rows)) {
    release_runs(self, rows);
    if (active)
      vt_why_test_set_active(active, FALSE);
  }
  g_autoptr(VtRoi) lit = dup_lit(self, rows);
  if (lit)
    vt_canvas_set_spoken_of(self->canvas, lit);
  else
    show_pixels(self);
}

/* The pixels of the pressed line, of the present answer. */
static void
show_pixels(VtWhyCard *self)
{
  const VtResult *answer = vt_why_get_answer(self->why);
  VtWhyTest *active = find_active(self);
  vt_why_pixels_stop(self->pixels);
  on_pixels(NULL, NULL, self);
  self->saddle = NULL;
  for (guint i = 0; answer && active && i < answer->verdicts->len; i++)
    if (vt_why_test_is_of(active, get_verdict(answer, i)) && !vt_why_pixels_find(self->pixels, self->why, i))
      self->saddle = get_verdict(answer, i);
  show_way(self);
}

static void
on_test_toggled(VtWhyTest *test, VtWhyCard *self)
{
  if (self->is_listing)
    return;
  self->is_listing = TRUE;
  for (GtkWidget *row = gtk_widget_get_first_child(GTK_WIDGET(self->tests_box)); row;
       row = gtk_widget_get_next_sibling(row))
    if (VT_IS_WHY_TEST(row) && row != GTK_WIDGET(test) && vt_why_test_get_active(test))
      vt_why_test_set_active(VT_WHY_TEST(row), FALSE);
  if (vt_why_test_get_active(test))
    release_runs(self, NULL);
  self->is_listing = FALSE;
  show_pixels(self);
}

/* --- values, and from where they came --- */

static const VtWay *
find_way(VtWhyCard *self, const VitrailOp *op, const char *stage)
{
  const GPtrArray *ways = vt_why_get_ways(self->why);
  for (guint i = 0; i < ways->len && stage; i++)
    if (g_str_equal(op->stages[((const VtWay *)ways->pdata[i])->stage]->id, stage))
      return ways->pdata[i];
  return NULL;
}

/* The one that was chosen, else the last. */
static const VtWay *
get_drawn(VtWhyCard *self)
{
  const GPtrArray *ways = vt_why_get_ways(self->why);
  const VtResult *answer = vt_why_get_valued(self->why);
  const VtWay *chosen = answer ? find_way(self, answer->op, self->way_stage) : NULL;
  return chosen || ways->len == 0 ? chosen : ways->pdata[ways->len - 1];
}

/* That to the saddle of which the pressed line speaks goes first. */
static void
show_way(VtWhyCard *self)
{
  const VtWay *way = get_drawn(self);
  gint64 x, y;
  if (self->saddle && vt_why_get_place(self->why, &x, &y)) {
    const double points[] = { (double)x + 0.5, (double)y + 0.5, self->saddle->saddle_x_l0, self->saddle->saddle_y_l0 };
    g_autoptr(GArray) line = g_array_append_vals(g_array_new(FALSE, FALSE, sizeof(double)), points, 4);
    vt_canvas_set_trace(self->canvas, line);
    return;
  }
  vt_canvas_set_trace(self->canvas, way ? way->points : NULL);
}

static void
on_way_toggled(GtkToggleButton *button, VtWhyCard *self)
{
  if (!gtk_toggle_button_get_active(button))
    return;
  self->way_stage = g_object_get_data(G_OBJECT(button), "stage");
  vt_test_log("why-way-drawn %s", self->way_stage);
  show_way(self);
}

/* "0.37 OD"; NULL: the stage has no value here. Owned. */
static char *
dup_value(const VtResult *answer, guint stage, gint64 x, gint64 y)
{
  const VitrailStageKind kind = answer->op->stages[stage]->kind;
  double value;
  if (!vt_why_get_value(answer, stage, x, y, &value))
    return vt_why_dup_colour(answer, stage, x, y);
  return kind == VITRAIL_STAGE_SCALAR ? vt_why_dup_number(value, vt_why_get_unit(answer, stage))
         : kind == VITRAIL_STAGE_MASK ? g_strdup(value > 0 ? _("Yes") : _("No"))
                                      : g_strdup_printf("%.0f", value);
}

/* The way that is drawn is pressed. */
static GtkWidget *
way_new(VtWhyCard *self, GtkWidget *head, const VitrailStage *stage, const VtWay *way)
{
  const char *title = vt_translate(stage->title);
  GtkWidget *row = gtk_toggle_button_new();
  double x, y;
  vt_way_get_end(way, &x, &y);
  g_autofree char *words = vt_way_dup_words(way);
  g_autofree char *told = g_strdup_printf(_("%s (x %.0f, y %.0f px)"), words, floor(x), floor(y));
  g_autofree char *all = g_strdup_printf("%s: %s.", title, told);
  vt_button_set_up(row, vt_box_new(GTK_ORIENTATION_VERTICAL, 0, head, vt_why_caption_new(told), NULL),
                   _("Draw on the picture from where this value came"), all);
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(row), way == get_drawn(self));
  g_object_set_data(G_OBJECT(row), "stage", (gpointer)g_intern_string(stage->id));
  g_signal_connect_object(row, "toggled", G_CALLBACK(on_way_toggled), self, 0);
  return row;
}

static void
add_value(VtWhyCard *self, const VtResult *answer, guint stage, GtkToggleButton **group, gint64 x, gint64 y)
{
  g_autofree char *value = dup_value(answer, stage, x, y);
  const VtWay *way = find_way(self, answer->op, answer->op->stages[stage]->id);
  const char *title = vt_translate(answer->op->stages[stage]->title);
  if (!value && !way)
    return;
  GtkWidget *head = vt_box_new(GTK_ORIENTATION_HORIZONTAL, 8, vt_why_line_new(title),
                               vt_label_new(value ? value : "", 1, "numeric"), NULL);
  GtkWidget *row = way ? way_new(self, head, answer->op->stages[stage], way) : head;
  if (way) {
    gtk_toggle_button_set_group(GTK_TOGGLE_BUTTON(row), *group);
    *group = GTK_TOGGLE_BUTTON(row);
  }
  gtk_widget_add_css_class(row, "why-test");
  gtk_box_append(self->values_box, row);
}

/* Below the value of the map that counts them. */
static void
add_runs(VtWhyCard *self, const VtWhyMap *map, const VitrailStage *stage)
{
  const gboolean is_alone = vt_why_runs_get_maps(self->runs)->len == 1;
  GtkWidget *rows = vt_why_run_rows_new(map, is_alone ? NULL : vt_translate(stage->title));
  g_signal_connect_object(rows, "lit", G_CALLBACK(on_run_lit), self, 0);
  gtk_box_append(self->values_box, rows);
  g_ptr_array_add(self->run_rows, rows);
}

static void
add_runs_of(VtWhyCard *self, const VitrailStage *stage)
{
  const GPtrArray *maps = vt_why_runs_get_maps(self->runs);
  for (guint i = 0; i < maps->len; i++) {
    const VtWhyMap *map = maps->pdata[i];
    if (g_str_equal(map->stage, stage->id))
      add_runs(self, map, stage);
  }
}

static void
list_values(VtWhyCard *self, gint64 x, gint64 y)
{
  const VtResult *valued = vt_why_get_valued(self->why);
  const char *failure = vt_why_get_steps_failure(self->why);
  const guint n_ways = vt_why_get_ways(self->why)->len;
  GtkToggleButton *group = NULL;
  if (valued == self->valued && n_ways == self->n_ways && failure == self->steps_failure
      && vt_why_runs_get_maps(self->runs)->len == self->run_rows->len)
    return;
  self->valued = valued;
  self->n_ways = n_ways;
  self->steps_failure = failure;
  if (self->run_rows->len > 0) /* what it lights goes with it */
    vt_canvas_set_spoken_of(self->canvas, NULL);
  g_ptr_array_set_size(self->run_rows, 0);
  vt_widget_remove_all(GTK_WIDGET(self->values_box));
  if (failure)
    gtk_box_append(self->values_box, vt_why_caption_new(failure));
  for (guint i = 0; valued && i < valued->op->n_stages; i++) {
    add_value(self, valued, i, &group, x, y);
    add_runs_of(self, valued->op->stages[i]);
  }
  show_way(self);
}

static void
on_runs(gpointer user)
{
  VtWhyCard *self = user;
  gint64 x, y;
  if (vt_why_get_place(self->why, &x, &y))
    list_values(self, x, y);
}

static void
on_steps_toggled(VtWhyCard *self)
{
  vt_why_set_steps(self->why, gtk_toggle_button_get_active(self->steps_button));
}

/* --- all of it --- */

/* The line of the same test, if there is one. */
static VtWhyTest *
find_row(VtWhyCard *self, const VitrailVerdict *verdict)
{
  for (GtkWidget *row = gtk_widget_get_first_child(GTK_WIDGET(self->tests_box)); row;
       row = gtk_widget_get_next_sibling(row))
    if (VT_IS_WHY_TEST(row) && vt_why_test_is_of(VT_WHY_TEST(row), verdict))
      return VT_WHY_TEST(row);
  return NULL;
}

static gboolean
has_test(const VtResult *answer, VtWhyTest *test)
{
  for (guint i = 0; i < answer->verdicts->len; i++)
    if (vt_why_test_is_of(test, get_verdict(answer, i)))
      return TRUE;
  return FALSE;
}

/* What is no longer tested goes, but the line that somebody has a hand on. */
static void
remove_old(VtWhyCard *self, const VtResult *answer)
{
  GtkWidget *next;
  for (GtkWidget *row = gtk_widget_get_first_child(GTK_WIDGET(self->tests_box)); row; row = next) {
    next = gtk_widget_get_next_sibling(row);
    if (VT_IS_WHY_TEST(row) && has_test(answer, VT_WHY_TEST(row)))
      continue;
    if (VT_IS_WHY_TEST(row))
      vt_why_test_end(VT_WHY_TEST(row));
    if (!VT_IS_WHY_TEST(row) || !vt_why_test_is_held(VT_WHY_TEST(row)))
      gtk_box_remove(self->tests_box, row);
  }
}

/* Lines stay where the same test is in the next answer: a slider would slip out of the hand. */
static void
list_tests(VtWhyCard *self, const VtResult *answer)
{
  GtkWidget *last = NULL;
  if (answer == self->listed)
    return;
  self->saddle = NULL;
  self->listed = answer;
  if (!answer) {
    VtWhyTest *active = find_active(self);
    if (active) /* all layers again */
      vt_why_test_set_active(active, FALSE);
    vt_widget_remove_all(GTK_WIDGET(self->tests_box));
    return;
  }
  self->is_listing = TRUE;
  remove_old(self, answer);
  for (guint i = 0; i < answer->verdicts->len; i++) {
    const VitrailVerdict *verdict = get_verdict(answer, i);
    VtWhyTest *row = find_row(self, verdict);
    if (row) {
      vt_why_test_take(row, answer, verdict);
    } else {
      row = VT_WHY_TEST(vt_why_test_new(self->analysis, answer, verdict));
      g_signal_connect_object(row, "toggled", G_CALLBACK(on_test_toggled), self, 0);
      gtk_box_append(self->tests_box, GTK_WIDGET(row));
    }
    gtk_box_reorder_child_after(self->tests_box, GTK_WIDGET(row), last);
    last = GTK_WIDGET(row);
  }
  if (answer->verdicts->len == 0)
    gtk_box_append(self->tests_box, vt_why_caption_new(_("Nothing is tested at this pixel.")));
  self->is_listing = FALSE;
  show_pixels(self);
}

static void
show(VtWhyCard *self)
{
  gint64 x, y;
  const gboolean asked = vt_why_get_place(self->why, &x, &y);
  const VtResult *answer = vt_why_get_answer(self->why);
  const gboolean current = vt_why_is_current(self->why);
  vt_canvas_set_mark(self->canvas, asked, (double)x + 0.5, (double)y + 0.5);
  gtk_widget_set_visible(GTK_WIDGET(self), asked);
  gtk_widget_set_visible(GTK_WIDGET(self->answer_box), answer != NULL);
  gtk_widget_set_opacity(GTK_WIDGET(self->answer_box), current ? 1 : 0.55);
  gtk_widget_set_sensitive(GTK_WIDGET(self->changes_box), current);
  gtk_widget_set_sensitive(GTK_WIDGET(self->values_box), current);
  gtk_spinner_set_spinning(self->spinner,
                           asked && (!current || vt_why_is_trying(self->why) || vt_why_is_tracing(self->why)));
  gtk_widget_set_visible(GTK_WIDGET(self->spinner), gtk_spinner_get_spinning(self->spinner));
  show_outcome(self, answer, x, y);
  show_place(self, answer, x, y);
  show_changes(self, answer, x, y);
  list_tests(self, answer);
  gtk_toggle_button_set_active(self->steps_button, vt_why_wants_steps(self->why));
  vt_why_runs_follow(self->runs, self->why);
  list_values(self, x, y);
}

static void
vt_why_card_class_init(VtWhyCardClass *klass)
{
  VT_OWNS(klass, VtWhyCard, vt_why_pixels_free, pixels);
  VT_OWNS(klass, VtWhyCard, vt_why_runs_free, runs);
  VT_OWNS_TO_THE_END(klass, VtWhyCard, g_ptr_array_unref, run_rows);
  VT_OWNS(klass, VtWhyCard, g_object_unref, why, analysis);
  VT_TEMPLATE(klass, VtWhyCard, "vt-why-card", outcome_label, place_label, changes_label, pixels_label, spinner,
              answer_box, changes_box, tests_box, values_box, steps_button);
  gtk_widget_class_bind_template_callback(GTK_WIDGET_CLASS(klass), on_steps_toggled);
}

static void
vt_why_card_init(VtWhyCard *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  self->pixels = vt_why_pixels_new(on_pixels, self);
  self->run_rows = g_ptr_array_new();
}

/* --- the menu of the picture --- */

static void
on_secondary(GtkGestureClick *gesture, int n_press, double x, double y, VtWhyCard *self)
{
  GtkWidget *canvas = GTK_WIDGET(self->canvas);
  const int scale = gtk_widget_get_scale_factor(canvas);
  double x_l0, y_l0;
  if (!vt_analysis_get_op(self->analysis) || !vt_canvas_get_store(self->canvas))
    return;
  vt_viewport_to_l0(vt_canvas_get_view(self->canvas), x * scale, y * scale, &x_l0, &y_l0);
  g_autoptr(GMenu) menu = g_menu_new();
  g_autoptr(GMenuItem) why = g_menu_item_new(_("Why Here?"), NULL);
  g_menu_item_set_action_and_target(why, "win.why-at", "(dd)", x_l0, y_l0);
  g_menu_append_item(menu, why);
  g_menu_append(menu, _("Pin What Is Shown"), "win.pin");
  gtk_popover_menu_set_menu_model(self->menu, G_MENU_MODEL(menu));
  gtk_popover_set_pointing_to(GTK_POPOVER(self->menu), &(GdkRectangle){ (int)x, (int)y, 1, 1 });
  gtk_popover_popup(GTK_POPOVER(self->menu));
}

static void
attach_menu(VtWhyCard *self, GtkWidget *overlay)
{
  GtkGesture *secondary = gtk_gesture_click_new();
  self->menu = GTK_POPOVER_MENU(gtk_popover_menu_new_from_model(NULL));
  gtk_popover_set_has_arrow(GTK_POPOVER(self->menu), FALSE);
  gtk_widget_set_halign(GTK_WIDGET(self->menu), GTK_ALIGN_START);
  gtk_widget_set_parent(GTK_WIDGET(self->menu), overlay);
  gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(secondary), GDK_BUTTON_SECONDARY);
  g_signal_connect_object(secondary, "pressed", G_CALLBACK(on_secondary), self, 0);
  gtk_widget_add_controller(GTK_WIDGET(self->canvas), GTK_EVENT_CONTROLLER(secondary));
}

/* In a low window the card would lie over what stands below it. */
static void
leave_room(VtWhyCard *self)
{
  int height = 0;
  if (gtk_widget_get_visible(self->below))
    gtk_widget_measure(self->below, GTK_ORIENTATION_VERTICAL, -1, NULL, &height, NULL, NULL);
  gtk_widget_set_margin_bottom(GTK_WIDGET(self), height);
}

void
vt_why_card_attach(VtCanvas *canvas, VtWhy *why, VtAnalysis *analysis, GtkWidget *below)
{
  VtWhyCard *self = g_object_new(VT_TYPE_WHY_CARD, NULL);
  GtkWidget *overlay = gtk_widget_get_ancestor(GTK_WIDGET(canvas), GTK_TYPE_OVERLAY);
  self->canvas = canvas;
  self->below = below;
  self->why = g_object_ref(why);
  self->analysis = g_object_ref(analysis);
  self->runs = vt_why_runs_new(analysis, on_runs, self);
  gtk_overlay_add_overlay(GTK_OVERLAY(overlay), GTK_WIDGET(self));
  attach_menu(self, overlay);
  g_signal_connect_object(why, "changed", G_CALLBACK(show), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(below, "notify::visible", G_CALLBACK(leave_room), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(canvas, "view-shown", G_CALLBACK(leave_room), self, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  show(self);
}
