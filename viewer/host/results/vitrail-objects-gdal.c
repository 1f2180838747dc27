/* SPDX-License-Identifier: MIT
 *
 * The module that writes objects by GDAL. */
#include <errno.h>
#include <gmodule.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cpl_error.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <gdal.h>
#include <ogr_api.h>

#include "results/vt-objects-module.h"
#include "run/vt-objects-format.h"

G_MODULE_EXPORT const VtObjectsModule *vt_objects_gdal_entry(const char *version);

/* GDAL's writers leave some failed writes unnoticed (FlatGeobuf: those of the header and the index), so they write through these functions, which
 * remember the first of them. */
typedef struct {
  const char *prefix; /* of GDAL's names for such files */
  gint failure;       /* errno; of any thread of GDAL's */
} Disk;
static Disk disks[VT_N_OBJECTS_FORMATS] = { { .prefix = "/vsivitrail-0/" }, { .prefix = "/vsivitrail-1/" } };

typedef struct {
  FILE *file;
  Disk *disk;
} DiskFile;

struct VtObjectsFile {
  Disk *disk;
  GDALDatasetH dataset;
  OGRLayerH layer;
  int n_columns;
  GArray *is_text; /* gboolean of each column */
  char *failure;   /* the first that GDAL told; or NULL */
};

static void
note(Disk *disk)
{
  g_atomic_int_compare_and_exchange(&disk->failure, 0, errno ? errno : EIO);
}

static void *
disk_open(void *user, const char *name, const char *access)
{
  FILE *file = fopen(name, access);
  if (!file) {
    if (access[0] != 'r')
      note(user);
    return NULL;
  }
  DiskFile *self = g_new0(DiskFile, 1);
  self->file = file;
  self->disk = user;
  return self;
}

static int
disk_close(void *user)
{
  DiskFile *self = user;
  const int status = fclose(self->file);
  if (status != 0)
    note(self->disk);
  g_free(self);
  return status;
}

static size_t
disk_write(void *user, const void *data, size_t size, size_t n)
{
  DiskFile *self = user;
  const size_t done = fwrite(data, size, n, self->file);
  if (done < n)
    note(self->disk);
  return done;
}

static int
disk_flush(void *user)
{
  DiskFile *self = user;
  const int status = fflush(self->file);
  if (status != 0)
    note(self->disk);
  return status;
}

/* It writes what was buffered. */
static int
disk_seek(void *user, vsi_l_offset offset, int whence)
{
  DiskFile *self = user;
  const int status = fseeko(self->file, (off_t)offset, whence);
  if (status != 0)
    note(self->disk);
  return status;
}

static size_t
disk_read(void *user, void *data, size_t size, size_t n)
{
  return fread(data, size, n, ((DiskFile *)user)->file);
}

static vsi_l_offset
disk_tell(void *user)
{
  return (vsi_l_offset)ftello(((DiskFile *)user)->file);
}

static int
disk_eof(void *user)
{
  return feof(((DiskFile *)user)->file);
}

static int
disk_stat(void *user, const char *name, VSIStatBufL *info, int flags)
{
  return VSIStatExL(name, info, flags);
}

static int
disk_unlink(void *user, const char *name)
{
  return unlink(name);
}

static void
install_disk(Disk *disk)
{
  VSIFilesystemPluginCallbacksStruct *calls = VSIAllocFilesystemPluginCallbacksStruct();
  calls->pUserData = disk;
  calls->open = disk_open;
  calls->close = disk_close;
  calls->write = disk_write;
  calls->flush = disk_flush;
  calls->seek = disk_seek;
  calls->read = disk_read;
  calls->tell = disk_tell;
  calls->eof = disk_eof;
  calls->stat = disk_stat;
  calls->unlink = disk_unlink;
  VSIInstallPluginHandler(disk->prefix, calls);
  VSIFreeFilesystemPluginCallbacksStruct(calls);
}

/* What GDAL says, without the end of a line and of a sentence. Owned. */
static char *
dup_words(const char *message)
{
  char *words = g_strchomp(g_strdup(message));
  if (g_str_has_suffix(words, "."))
    words[strlen(words) - 1] = '\0';
  return words;
}

/* The first failure goes to where the handler's data, a char *, is. */
static void CPL_STDCALL
take_error(CPLErr kind, CPLErrorNum number, const char *message)
{
  char **failure = CPLGetErrorHandlerUserData();
  if (kind < CE_Failure)
    CPLDefaultErrorHandler(kind, number, message);
  else if (!*failure)
    *failure = dup_words(message);
}

static void
fail(VtObjectsFile *self, const char *what)
{
  if (!self->failure)
    self->failure = g_strdup_printf("GDAL could not %s", what);
}

/* FlatGeobuf sorts objects by place when all are there: from a file that would lie in the system's folder, where there may be no room.
 * Parquet's outlines of one group of rows have 2 GB at most: of GDAL's 65,536 rows that are 2,048 points an object, of these 32,768. */
static char **
make_options(GDALDriverH driver, const char *name)
{
  const char *known = GDALGetMetadataItem(driver, GDAL_DS_LAYER_CREATIONOPTIONLIST, NULL);
  g_autofree char *folder = g_path_get_dirname(name);
  char **options = NULL;
  if (known && strstr(known, "TEMPORARY_DIR"))
    options = CSLSetNameValue(options, "TEMPORARY_DIR", folder);
  if (known && strstr(known, "ROW_GROUP_SIZE"))
    options = CSLSetNameValue(options, "ROW_GROUP_SIZE", "4096");
  return options;
}

static void
add_columns(VtObjectsFile *self, const VtObjectsColumn *columns)
{
  for (int i = 0; i < self->n_columns; i++) {
    OGRFieldDefnH field = OGR_Fld_Create(columns[i].name, columns[i].is_text ? OFTString : OFTReal);
    if (OGR_L_CreateField(self->layer, field, FALSE) != OGRERR_NONE)
      fail(self, "make a column");
    OGR_Fld_Destroy(field);
    g_array_append_val(self->is_text, columns[i].is_text);
  }
}

static VtObjectsModule module;

/* A run that asks for no driver that can't be loaded has nothing to hear of it. */
static void
listen_to_loading(void)
{
  static char *problem; /* for as long as the program runs, as the drivers */
  CPLPushErrorHandlerEx(take_error, &problem);
}

static void
end_loading(void)
{
  char **problem = CPLGetErrorHandlerUserData();
  module.problem = *problem;
  CPLPopErrorHandler();
}

/* Since 3.9 GDAL may load a driver only here. */
static gboolean
has_driver(const char *name)
{
  listen_to_loading();
  GDALDriverH driver = GDALGetDriverByName(name);
  const gboolean has = driver && CSLFetchBoolean(GDALGetMetadata(driver, NULL), GDAL_DCAP_VECTOR, FALSE)
                       && CSLFetchBoolean(GDALGetMetadata(driver, NULL), GDAL_DCAP_CREATE, FALSE);
  end_loading();
  return has;
}

static char *
close_file(VtObjectsFile *self)
{
  CPLPushErrorHandlerEx(take_error, &self->failure);
  if (self->dataset)
    GDALClose(self->dataset); /* writes most of it */
  CPLPopErrorHandler();
  const int failure = g_atomic_int_get(&self->disk->failure);
  g_autofree char *told = self->failure;
  g_array_unref(self->is_text);
  g_free(self);
  return failure ? g_strdup(g_strerror(failure)) : g_steal_pointer(&told);
}

static VtObjectsFile *
create_file(guint format, const char *driver, const char *path, gboolean is_single, const VtObjectsColumn *columns,
            guint n_columns, char **failure)
{
  VtObjectsFile *self = g_new0(VtObjectsFile, 1);
  self->disk = &disks[format];
  self->n_columns = (int)n_columns;
  self->is_text = g_array_new(FALSE, FALSE, sizeof(gboolean));
  g_atomic_int_set(&self->disk->failure, 0);
  g_autofree char *name = g_strconcat(self->disk->prefix, path, NULL);
  char **options = make_options(GDALGetDriverByName(driver), name);
  CPLPushErrorHandlerEx(take_error, &self->failure);
  self->dataset = GDALCreate(GDALGetDriverByName(driver), name, 0, 0, 0, GDT_Unknown, NULL);
  /* Pixels lie in no system of the earth. */
  self->layer = self->dataset
                  ? GDALDatasetCreateLayer(self->dataset, "objects", NULL, is_single ? wkbPolygon : wkbUnknown, options)
                  : NULL;
  if (self->layer)
    add_columns(self, columns);
  else
    fail(self, "make the file");
  CPLPopErrorHandler();
  CSLDestroy(options);
  if (!self->failure)
    return self;
  *failure = close_file(self);
  return NULL;
}

/* Takes the geometry `part`. */
static gboolean
put_in(OGRGeometryH whole, OGRGeometryH part)
{
  return OGR_G_AddGeometryDirectly(whole, part) == OGRERR_NONE;
}

static OGRGeometryH
make_geometry(VtObjectsFile *self, const VtObjectsFeature *feature)
{
  OGRGeometryH whole = feature->is_multi ? OGR_G_CreateGeometry(wkbMultiPolygon) : NULL, polygon = NULL;
  const double *points = feature->points;
  gboolean is_sound = TRUE;
  for (guint i = 0; i < feature->n_rings; points += 2 * (gsize)feature->ring_sizes[i], i++) {
    OGRGeometryH ring = OGR_G_CreateGeometry(wkbLinearRing);
    OGR_G_SetPoints(ring, (int)feature->ring_sizes[i], points, 2 * sizeof(double), points + 1, 2 * sizeof(double), NULL,
                    0);
    if (i == 0 || feature->begins[i]) {
      polygon = OGR_G_CreateGeometry(wkbPolygon);
      is_sound = (!whole || put_in(whole, polygon)) && is_sound;
    }
    is_sound = put_in(polygon, ring) && is_sound;
  }
  if (!is_sound)
    fail(self, "make an outline");
  return whole ? whole : polygon;
}

static void
add_feature(VtObjectsFile *self, const VtObjectsFeature *feature)
{
  if (self->failure || g_atomic_int_get(&self->disk->failure))
    return;
  CPLPushErrorHandlerEx(take_error, &self->failure);
  OGRFeatureH row = OGR_F_Create(OGR_L_GetLayerDefn(self->layer));
  for (int i = 0; i < self->n_columns; i++) {
    const VtObjectsValue *value = &feature->values[i];
    if (value->is_there && g_array_index(self->is_text, gboolean, i))
      OGR_F_SetFieldString(row, i, value->text);
    else if (value->is_there)
      OGR_F_SetFieldDouble(row, i, value->number);
  }
  if (OGR_F_SetGeometryDirectly(row, make_geometry(self, feature)) != OGRERR_NONE
      || OGR_L_CreateFeature(self->layer, row) != OGRERR_NONE)
    fail(self, "add an object");
  OGR_F_Destroy(row);
  CPLPopErrorHandler();
}

static VtObjectsModule module = {
  .has_driver = has_driver, .create = create_file, .add = add_feature, .close = close_file
};

const VtObjectsModule *
vt_objects_gdal_entry(const char *version)
{
  if (strcmp(version, VT_VERSION) != 0)
    return NULL;
  listen_to_loading();
  GDALAllRegister();
  GDALDriverH parquet = GDALGetDriverByName("Parquet");
  module.arrow = parquet ? GDALGetMetadataItem(parquet, "ARROW_VERSION", NULL) : NULL;
  end_loading();
  for (gsize i = 0; i < G_N_ELEMENTS(disks); i++)
    install_disk(&disks[i]);
  module.version = GDALVersionInfo("RELEASE_NAME");
  return &module;
}
