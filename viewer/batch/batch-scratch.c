/* SPDX-License-Identifier: MIT
 *
 * The folders of scratch files inside the folder of a run, which holds its lock. */
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#include "batch.h"

#define SCRATCH ".vitrail-scratch"

/* Of rank R of N: SCRATCH-R-of-N. */
static char *
dup_name(const VtRunRanks *ranks)
{
  return ranks ? g_strdup_printf(SCRATCH "-%u-of-%u", ranks->rank, ranks->n_ranks) : g_strdup(SCRATCH);
}

void
batch_scratch_clean(const VtRunRequest *request, const char *dir)
{
  g_autofree char *own = dup_name(request->ranks);
  const char *family = strstr(own, "-of-");
  const gboolean is_first = !request->ranks || request->ranks->rank == 0;
  g_autoptr(GDir) folder = g_dir_open(dir, 0, NULL);
  for (const char *name; folder && (name = g_dir_read_name(folder));) {
    g_autofree char *path = g_build_filename(dir, name, NULL);
    g_autoptr(GError) error = NULL;
    const gboolean is_ours = g_str_equal(name, own),
                   is_theirs = !is_ours && family && g_str_has_suffix(name, family); /* of the other ranks */
    if ((is_ours || (is_first && !is_theirs && g_str_has_prefix(name, SCRATCH))) && !vt_folder_remove(path, &error))
      g_printerr("vitrail-batch: %s\n", error->message);
  }
}

static gboolean
make_scratch(const char *dir, const char *path, const char *manifest, const char *digest, GError **error)
{
  if ((g_mkdir(path, 0777) == 0 || errno == EEXIST) && g_file_set_contents(manifest, digest, -1, NULL))
    return TRUE;
  const int number = errno;
  g_autofree char *shown = vt_error_dup_path(dir);
  g_set_error(error, G_IO_ERROR, (int)g_io_error_from_errno(number), "The folder %s cannot be written to: %s.", shown,
              g_strerror(number));
  return FALSE;
}

gboolean
batch_scratch_prepare(VtRunRequest *request, const char *dir, gboolean resume, const char *digest, GError **error)
{
  g_autofree char *name = dup_name(request->ranks);
  g_autofree char *path = g_build_filename(dir, name, NULL);
  g_autofree char *manifest = g_build_filename(path, "request", NULL);
  g_autofree char *theirs = NULL;
  const gboolean goes_on = resume && vt_folder_is_plain(path) && g_file_get_contents(manifest, &theirs, NULL, NULL)
                           && g_str_equal(theirs, digest);
  if ((!goes_on && !vt_folder_remove(path, error)) || !make_scratch(dir, path, manifest, digest, error))
    return FALSE;
  request->scratch_dir = g_steal_pointer(&path);
  request->keep_scratch = TRUE;
  return TRUE;
}
