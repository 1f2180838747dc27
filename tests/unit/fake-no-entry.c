/* SPDX-License-Identifier: MIT
 *
 * A module that is no plugin. */
int no_plugin(void);

int
no_plugin(void)
{
  return 1;
}
