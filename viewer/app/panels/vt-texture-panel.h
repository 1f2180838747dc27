/* SPDX-License-Identifier: MIT
 *
 * The texture browser below the picture (docs/texture.md): run length matrices of what is looked at (A) and of what is pinned (B), their difference,
 * and the features as numbers. A cell that is chosen shows its runs on the slide. Hidden while the browser is closed. */
#pragma once
#include <adwaita.h>

#include "analysis/vt-texture.h"
#include "canvas/vt-canvas.h"

#define VT_TYPE_TEXTURE_PANEL (vt_texture_panel_get_type())
G_DECLARE_FINAL_TYPE(VtTexturePanel, vt_texture_panel, VT, TEXTURE_PANEL, AdwBin)

/* The canvas must outlive it: it moves the lens, and shows it. */
GtkWidget *vt_texture_panel_new(VtTexture *texture, VtAnalysis *analysis, VtCanvas *canvas);
