/* SPDX-License-Identifier: MIT
 *
 * The op “file-objects”: hands over the objects of a file (VtParams.objects) as if it had found them, so that tables, plots, gates, classes, colours and files have them as they have
 * those of any op. A plugin of the program's own, in no list of plugins or ops, and found by its id. An object is in a region that its centroid is inside of. */
#pragma once

#define VT_FILE_OBJECTS_OP "file-objects"

/* Before the first vt_plugin_host_get(). */
void vt_file_objects_op_offer(void);
