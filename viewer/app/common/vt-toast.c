/* SPDX-License-Identifier: MIT */
#include "common/vt-toast.h"

/* libadwaita's toasts take 300 ms of the frames' time to come, and to go. Frames of a busy machine come late, so neither is over by the clock on the
 * wall. libadwaita 1.2 frees a toast that has gone even if it still comes, which ends the program: so none is closed before it has come, not by its button
 * nor by its time, which begins then (a window out of sight has no frames), and one that follows, which would come for longer, waits until the last one has gone. */
#define MOVE_MS 300
#define LOOK_MS 50

/* Of an overlay. */
#define USUAL_S 5   /* libadwaita's, if nobody sets another */
#define CHOICE_S 12 /* what can be taken back can be read, and reached by keys, first */

typedef struct {
  AdwToastOverlay *overlay;
  GQueue waiting;  /* owned */
  AdwToast *shown; /* owned; NULL: none */
  gboolean ends;   /* shown is to go */
  gboolean comes;  /* shown has not come yet */
  guint time_s;    /* how long shown is to be seen; 0: until somebody closes it */
  gint64 since_us; /* of the frames' time; 0: no frame yet */
  guint timer;
} Toasts;

static void
toasts_free(gpointer data)
{
  Toasts *toasts = data;
  g_clear_handle_id(&toasts->timer, g_source_remove);
  g_queue_clear_full(&toasts->waiting, g_object_unref);
  if (toasts->shown)
    g_signal_handlers_disconnect_by_data(toasts->shown, toasts);
  g_clear_object(&toasts->shown);
  g_free(toasts);
}

static void go_on(Toasts *toasts);

/* The one that was dismissed is still to be seen. */
static gboolean
is_leaving(Toasts *toasts)
{
  return !toasts->shown
         && gtk_widget_get_last_child(GTK_WIDGET(toasts->overlay)) != adw_toast_overlay_get_child(toasts->overlay);
}

static gboolean
is_coming(Toasts *toasts)
{
  return toasts->shown && toasts->comes && gtk_widget_get_mapped(GTK_WIDGET(toasts->overlay));
}

static void
on_press(GtkGesture *click, int n_press, double x, double y, gpointer data)
{
  if (is_coming(data))
    gtk_gesture_set_state(click, GTK_EVENT_SEQUENCE_CLAIMED);
}

/* While it comes its buttons do nothing, and neither does what is below them. */
static void
hold_off(Toasts *toasts)
{
  GtkWidget *widget = gtk_widget_get_last_child(GTK_WIDGET(toasts->overlay));
  GtkGesture *click = gtk_gesture_click_new();
  gtk_event_controller_set_propagation_phase(GTK_EVENT_CONTROLLER(click), GTK_PHASE_CAPTURE);
  g_signal_connect(click, "pressed", G_CALLBACK(on_press), toasts);
  gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(click));
  gtk_widget_set_can_focus(widget, FALSE);
}

static void
begin_time(Toasts *toasts)
{
  adw_toast_set_timeout(toasts->shown, toasts->time_s);
  adw_toast_overlay_add_toast(toasts->overlay, g_object_ref(toasts->shown)); /* that it has means: anew */
}

/* Called before libadwaita's own step of the same frame, so that the toast has come when this frame is over. */
static gboolean
on_frame(GtkWidget *overlay, GdkFrameClock *clock, gpointer data)
{
  Toasts *toasts = data;
  const gint64 now_us = gdk_frame_clock_get_frame_time(clock);
  if (toasts->since_us == 0)
    toasts->since_us = now_us;
  toasts->comes = toasts->comes && now_us - toasts->since_us < MOVE_MS * 1000;
  return toasts->comes;
}

static gboolean
on_timer(gpointer data)
{
  Toasts *toasts = data;
  if (is_leaving(toasts) || is_coming(toasts))
    return G_SOURCE_CONTINUE;
  toasts->timer = 0;
  if (toasts->shown) {
    gtk_widget_set_can_focus(gtk_widget_get_last_child(GTK_WIDGET(toasts->overlay)), TRUE);
    begin_time(toasts);
  }
  go_on(toasts);
  return G_SOURCE_REMOVE;
}

static void
wait(Toasts *toasts)
{
  g_clear_handle_id(&toasts->timer, g_source_remove);
  toasts->timer = g_timeout_add(LOOK_MS, on_timer, toasts);
}

/* Escape closes a toast, too. */
static gboolean
on_key(GtkEventControllerKey *keys, guint key, guint code, GdkModifierType state, gpointer data)
{
  Toasts *toasts = data;
  if (key != GDK_KEY_Escape || !is_coming(toasts))
    return FALSE;
  toasts->ends = TRUE;
  return TRUE;
}

static void
on_dismissed(AdwToast *toast, Toasts *toasts)
{
  g_signal_handlers_disconnect_by_data(toast, toasts);
  g_clear_object(&toasts->shown);
  wait(toasts);
}

static void
go_on(Toasts *toasts)
{
  AdwToast *next = g_queue_peek_head(&toasts->waiting);
  if (toasts->timer)
    return;
  if (toasts->shown) {
    if (toasts->ends || (next && adw_toast_get_priority(next) == ADW_TOAST_PRIORITY_HIGH))
      adw_toast_dismiss(toasts->shown);
    return;
  }
  if (!next)
    return;
  toasts->shown = g_queue_pop_head(&toasts->waiting);
  toasts->ends = FALSE;
  g_signal_connect(next, "dismissed", G_CALLBACK(on_dismissed), toasts);
  toasts->time_s = adw_toast_get_timeout(next);
  adw_toast_set_timeout(next, 0);
  adw_toast_overlay_add_toast(toasts->overlay, g_object_ref(next));
  toasts->comes = adw_get_enable_animations(GTK_WIDGET(toasts->overlay));
  toasts->since_us = 0;
  if (toasts->comes)
    gtk_widget_add_tick_callback(GTK_WIDGET(toasts->overlay), on_frame, toasts, NULL);
  hold_off(toasts);
  wait(toasts);
}

void
vt_toast_show(AdwToastOverlay *overlay, AdwToast *toast)
{
  Toasts *toasts = g_object_get_data(G_OBJECT(overlay), "vitrail-toasts");
  if (!toasts) {
    toasts = g_new0(Toasts, 1);
    toasts->overlay = overlay;
    g_object_set_data_full(G_OBJECT(overlay), "vitrail-toasts", toasts, toasts_free);
    GtkEventController *keys = gtk_event_controller_key_new();
    g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key), toasts);
    gtk_widget_add_controller(adw_toast_overlay_get_child(overlay), keys);
  }
  g_object_set_data(G_OBJECT(toast), "vitrail-toasts", toasts);
  if (adw_toast_get_button_label(toast) && adw_toast_get_timeout(toast) == USUAL_S)
    adw_toast_set_timeout(toast, CHOICE_S);
  if (adw_toast_get_priority(toast) == ADW_TOAST_PRIORITY_HIGH)
    g_queue_push_head(&toasts->waiting, toast);
  else
    g_queue_push_tail(&toasts->waiting, toast);
  go_on(toasts);
}

void
vt_toast_dismiss(AdwToast *toast)
{
  Toasts *toasts = g_object_get_data(G_OBJECT(toast), "vitrail-toasts");
  adw_toast_set_button_label(toast, NULL);
  if (g_queue_remove(&toasts->waiting, toast)) {
    g_object_unref(toast);
  } else if (toast == toasts->shown) {
    toasts->ends = TRUE;
    go_on(toasts);
  }
}
