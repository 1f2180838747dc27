/* SPDX-License-Identifier: MIT
 *
 * Measured with OpenGL of NVIDIA on an H100, for 1 MiB: a new texture made from the program's memory 0.6 to 0.8 ms of the caller and 0.25 of the card,
 * one that was there before 0.5 and 0.04, and from a buffer that stays mapped 0.01 and 0.05, besides 0.2 to fill it. A second thread with a context of
 * its own is no way out: the driver holds up the first one for as long (48 ms for 40 of them).
 *
 * The buffer has two halves. While the card reads what one frame wrote into the one, the next frame writes into the other.
 *
 * Threads fill the buffer from the moment a picture is sent, while the main thread goes on with the frame. At the end it fills what none of them has begun, waits for the others,
 * and has the card read all of it: a result is seen in the frame that it would be seen in without them. A place in the buffer is its filler's from when `n_begun` goes beyond it
 * until it is counted in `n_filled`, both under the lock, and the main thread's before and after that. */
#include "layers/vt-card.h"

#include "base/vt-define.h"

#include <epoxy/gl.h>
#include <string.h>

#define HALF ((gsize)16 << 20)
#define MAX_NEW 8 /* textures that are made in a frame: the card takes longer to find memory for one than to fill it */
#define MAX_SPARE 64  /* kept without a picture */
#define MAX_FILLERS 3 /* threads, besides the main one: 16 MiB take one thread 3 to 5 ms */

typedef struct {
  GLuint id, squares; /* the same pixels, filtered and as squares when they are magnified */
  int width, height;
} CardTexture;

#define TEXTURE "vt-card-texture" /* on what was sent: its CardTexture, borrowed */

/* To be copied and sent at the end. */
typedef struct {
  GLuint id;
  int width, height;
  GBytes *bytes;
  gsize stride, at; /* in the buffer */
} Sending;

static GdkGLContext *context = NULL, *before = NULL; /* ours, made once; whose place it takes */
static gboolean is_made = FALSE, is_usable = FALSE;
static GdkSurface *surface = NULL; /* borrowed, until the end */
static guint8 *room = NULL;        /* the buffer */
static guint half = 0;
static GLsync read_by_card[2] = { NULL, NULL };
static GQueue spare = G_QUEUE_INIT; /* CardTexture, owned; the one that was drawn longest ago first */
static GThreadPool *fillers = NULL;
static GMutex lock; /* of the three below */
static GCond filled;
static GArray *sendings = NULL;
static guint n_begun = 0, n_filled = 0; /* of them */
static gint64 frame_us = -1;
static gsize used = 0; /* of the half, in this frame */
static guint n_new = 0;
static gboolean is_in_place = FALSE; /* our context is the current one */

/* FALSE: it cannot map a buffer for good. */
static gboolean
map_buffer(void)
{
  const GLbitfield flags = GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
  GLuint buffer;
  if (gdk_gl_context_get_use_es(context) || !epoxy_has_gl_extension("GL_ARB_buffer_storage")
      || !epoxy_has_gl_extension("GL_ARB_texture_storage") || !epoxy_has_gl_extension("GL_ARB_texture_view"))
    return FALSE;
  glGenBuffers(1, &buffer);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer);
  glBufferStorage(GL_PIXEL_UNPACK_BUFFER, (GLsizeiptr)(2 * HALF), NULL, flags);
  room = glMapBufferRange(GL_PIXEL_UNPACK_BUFFER, 0, (GLsizeiptr)(2 * HALF), flags);
  if (!room)
    glDeleteBuffers(1, &buffer);
  return room != NULL;
}

static void
copy(const Sending *sending)
{
  const gsize row = (gsize)sending->width * 4;
  const guint8 *from = g_bytes_get_data(sending->bytes, NULL);
  guint8 *to = room + sending->at;
  if (sending->stride == row) {
    memcpy(to, from, row * (gsize)sending->height);
    return;
  }
  for (int y = 0; y < sending->height; y++)
    memcpy(to + (gsize)y * row, from + (gsize)y * sending->stride, row);
}

/* Any thread. FALSE: each has been begun. */
static gboolean
fill_next(void)
{
  Sending sending = { 0 };
  g_mutex_lock(&lock);
  const gboolean is_left = n_begun < sendings->len;
  if (is_left)
    sending = g_array_index(sendings, Sending, n_begun++);
  g_mutex_unlock(&lock);
  if (!is_left)
    return FALSE;
  copy(&sending);
  g_mutex_lock(&lock);
  if (++n_filled == sendings->len)
    g_cond_signal(&filled);
  g_mutex_unlock(&lock);
  return TRUE;
}

static void
fill_all(gpointer task, gpointer user)
{
  while (fill_next())
    continue;
}

static void
make(GdkDisplay *display)
{
  is_made = TRUE;
  context = gdk_display_create_gl_context(display, NULL);
  if (!context || !gdk_gl_context_realize(context, NULL))
    return;
  gdk_gl_context_make_current(context);
  is_usable = map_buffer();
  sendings = g_array_new(FALSE, FALSE, sizeof(Sending));
  fillers = g_thread_pool_new(fill_all, NULL, CLAMP((int)g_get_num_processors() - 1, 1, MAX_FILLERS), FALSE, NULL);
  gdk_gl_context_clear_current(); /* GTK's own is made current where it is used */
}

gboolean
vt_card_begin(GtkWidget *widget)
{
  const gint64 now_us = gdk_frame_clock_get_frame_time(gtk_widget_get_frame_clock(widget));
  if (!is_made)
    make(gtk_widget_get_display(widget));
  if (now_us != frame_us) {
    frame_us = now_us;
    half = 1 - half;
    used = 0;
    n_new = 0;
  }
  surface = gtk_native_get_surface(gtk_widget_get_native(widget));
  return is_usable && gdk_gl_context_get_display(context) == gtk_widget_get_display(widget);
}

/* What was drawn before with a texture that gets another picture is drawn before it gets that. */
static void
take_place(void)
{
  GdkGLContext *other = gdk_gl_context_get_current();
  GLsync drawn = NULL;
  is_in_place = TRUE;
  before = other && gdk_gl_context_is_shared(context, other) ? g_object_ref(other) : NULL;
  if (before)
    drawn = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  if (before)
    glFlush();
  gdk_gl_context_make_current(context);
  if (drawn) {
    glWaitSync(drawn, 0, GL_TIMEOUT_IGNORED);
    glDeleteSync(drawn);
  }
  if (used == 0 && read_by_card[half]) {
    glClientWaitSync(read_by_card[half], GL_SYNC_FLUSH_COMMANDS_BIT, GL_TIMEOUT_IGNORED);
    g_clear_pointer(&read_by_card[half], glDeleteSync);
  }
}

/* Of the one that is bound; as GTK has them, but for the filter. */
static void
set_parameters(GLint filter)
{
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
}

static CardTexture *
texture_new(int width, int height)
{
  CardTexture *texture = g_new(CardTexture, 1);
  *texture = (CardTexture){ .width = width, .height = height };
  glGenTextures(1, &texture->id);
  glBindTexture(GL_TEXTURE_2D, texture->id);
  set_parameters(GL_LINEAR);
  glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, width, height);
  glGenTextures(1, &texture->squares);
  glTextureView(texture->squares, GL_TEXTURE_2D, texture->id, GL_RGBA8, 0, 1, 0, 1);
  glBindTexture(GL_TEXTURE_2D, texture->squares);
  set_parameters(GL_NEAREST);
  return texture;
}

/* NULL: no more are made in this frame. */
static CardTexture *
find_texture(int width, int height)
{
  for (GList *link = spare.head; link; link = link->next) {
    CardTexture *texture = link->data;
    if (texture->width != width || texture->height != height)
      continue;
    g_queue_delete_link(&spare, link);
    return texture;
  }
  if (n_new == MAX_NEW)
    return NULL;
  n_new++;
  return texture_new(width, height);
}

/* Nothing draws it any more. */
static void
give_back(gpointer data)
{
  g_queue_push_tail(&spare, data);
}

static void
drop_spare(void)
{
  while (spare.length > MAX_SPARE) {
    CardTexture *texture = g_queue_pop_head(&spare);
    glDeleteTextures(1, &texture->squares);
    glDeleteTextures(1, &texture->id);
    g_free(texture);
  }
}

gboolean
vt_card_is_too_large(int width, int height)
{
  return (gsize)width * (gsize)height * 4 > HALF;
}

GdkTexture *
vt_card_send(int width, int height, GBytes *bytes, gsize stride)
{
  const gsize size = (gsize)width * (gsize)height * 4;
  if (used + size > HALF)
    return NULL;
  if (!is_in_place)
    take_place();
  CardTexture *texture = find_texture(width, height);
  if (!texture)
    return NULL;
  const Sending sending = { texture->id, width, height, g_bytes_ref(bytes), stride, half * HALF + used };
  g_mutex_lock(&lock);
  g_array_append_val(sendings, sending);
  g_mutex_unlock(&lock);
  g_thread_pool_push(fillers, fillers, NULL); /* the task is any pointer but NULL */
  used += size;
  GdkTexture *sent = gdk_gl_texture_new(context, texture->id, width, height, give_back, texture);
  g_object_set_data(G_OBJECT(sent), TEXTURE, texture);
  return sent;
}

GdkTexture *
vt_card_get_squares(GdkTexture *sent)
{
  const CardTexture *texture = g_object_get_data(G_OBJECT(sent), TEXTURE);
  if (!texture)
    return NULL;
  return gdk_gl_texture_new(context, texture->squares, texture->width, texture->height, g_object_unref,
                            g_object_ref(sent));
}

/* Until each of them is. */
static void
wait_for_filled(void)
{
  fill_all(NULL, NULL);
  g_mutex_lock(&lock);
  while (n_filled < sendings->len)
    g_cond_wait(&filled, &lock);
  g_mutex_unlock(&lock);
}

static void
forget_sendings(void)
{
  VT_EACH_IN (Sending, sending, sendings)
    g_bytes_unref(sending->bytes);
  g_mutex_lock(&lock);
  g_array_set_size(sendings, 0);
  n_begun = n_filled = 0;
  g_mutex_unlock(&lock);
}

/* What is drawn from here on waits for it. */
static void
give_place(void)
{
  GdkGLContext *other = g_steal_pointer(&before);
  is_in_place = FALSE;
  g_clear_pointer(&read_by_card[half], glDeleteSync); /* of another widget in this frame, which came before */
  read_by_card[half] = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  glFlush();
  if (other && gdk_gl_context_get_surface(other) == surface) {
    gdk_gl_context_make_current(other);
    glWaitSync(read_by_card[half], 0, GL_TIMEOUT_IGNORED);
  } else { /* another one draws, which cannot be told */
    glClientWaitSync(read_by_card[half], 0, GL_TIMEOUT_IGNORED);
  }
  g_clear_object(&other);
}

void
vt_card_end(void)
{
  if (!is_in_place)
    return;
  wait_for_filled();
  VT_EACH_IN (Sending, sending, sendings) {
    glBindTexture(GL_TEXTURE_2D, sending->id);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, sending->width, sending->height, GL_BGRA, GL_UNSIGNED_BYTE,
                    (const void *)sending->at); /* NOLINT: a place in the buffer */
  }
  forget_sendings();
  drop_spare();
  give_place();
}
