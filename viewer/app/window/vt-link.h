/* SPDX-License-Identifier: MIT
 *
 * How a view follows another one: pure arithmetic. Both have a base, the two views that were linked as they were then;
 * whatever was done since to the leader on the screen (moved, enlarged, turned, mirrored) is done to the follower. Always
 * worked out from the bases, so that nothing adds up and going back comes back exactly. */
#pragma once
#include "common/vt-viewport.h"

/* `follower` keeps its size in pixels. */
void vt_link_follow(const VtViewport *leader_base, const VtViewport *leader, const VtViewport *follower_base,
                    VtViewport *follower);
