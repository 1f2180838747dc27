/* SPDX-License-Identifier: MIT */
#include "window/vt-link.h"

void
vt_link_follow(const VtViewport *leader_base, const VtViewport *leader, const VtViewport *follower_base,
               VtViewport *follower)
{
  VtViewport from = *leader_base, goal = *follower_base;
  double x_px, y_px;
  from.width_px = from.height_px = goal.width_px = goal.height_px = 0;
  vt_viewport_from_l0(&from, leader->centre_x_l0, leader->centre_y_l0, &x_px, &y_px);
  vt_viewport_pan(&goal, x_px, y_px);
  goal.downsample = follower_base->downsample * (leader->downsample / leader_base->downsample);
  if (leader->mirrored != leader_base->mirrored) {
    vt_viewport_mirror(&goal);
    vt_viewport_turn(&goal, leader->angle + leader_base->angle);
  } else {
    vt_viewport_turn(&goal, leader->angle - leader_base->angle);
  }
  goal.width_px = follower->width_px;
  goal.height_px = follower->height_px;
  *follower = goal;
}
