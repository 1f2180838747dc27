/* SPDX-License-Identifier: MIT
 *
 * A macro for each of several names. */
#pragma once

/* each(a, b, x) for each x of the rest, 16 at most. */
#define VT_EACH(each, a, b, ...) \
  VT_EACH_WHICH(__VA_ARGS__, VT_EACH16, VT_EACH15, VT_EACH14, VT_EACH13, VT_EACH12, VT_EACH11, VT_EACH10, VT_EACH9, \
                VT_EACH8, VT_EACH7, VT_EACH6, VT_EACH5, VT_EACH4, VT_EACH3, VT_EACH2, VT_EACH1, ) \
  (each, a, b, __VA_ARGS__)
#define VT_EACH_WHICH(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, x16, which, ...) which
#define VT_EACH1(each, a, b, x) each(a, b, x)
#define VT_EACH2(each, a, b, x, ...) each(a, b, x) VT_EACH1(each, a, b, __VA_ARGS__)
#define VT_EACH3(each, a, b, x, ...) each(a, b, x) VT_EACH2(each, a, b, __VA_ARGS__)
#define VT_EACH4(each, a, b, x, ...) each(a, b, x) VT_EACH3(each, a, b, __VA_ARGS__)
#define VT_EACH5(each, a, b, x, ...) each(a, b, x) VT_EACH4(each, a, b, __VA_ARGS__)
#define VT_EACH6(each, a, b, x, ...) each(a, b, x) VT_EACH5(each, a, b, __VA_ARGS__)
#define VT_EACH7(each, a, b, x, ...) each(a, b, x) VT_EACH6(each, a, b, __VA_ARGS__)
#define VT_EACH8(each, a, b, x, ...) each(a, b, x) VT_EACH7(each, a, b, __VA_ARGS__)
#define VT_EACH9(each, a, b, x, ...) each(a, b, x) VT_EACH8(each, a, b, __VA_ARGS__)
#define VT_EACH10(each, a, b, x, ...) each(a, b, x) VT_EACH9(each, a, b, __VA_ARGS__)
#define VT_EACH11(each, a, b, x, ...) each(a, b, x) VT_EACH10(each, a, b, __VA_ARGS__)
#define VT_EACH12(each, a, b, x, ...) each(a, b, x) VT_EACH11(each, a, b, __VA_ARGS__)
#define VT_EACH13(each, a, b, x, ...) each(a, b, x) VT_EACH12(each, a, b, __VA_ARGS__)
#define VT_EACH14(each, a, b, x, ...) each(a, b, x) VT_EACH13(each, a, b, __VA_ARGS__)
#define VT_EACH15(each, a, b, x, ...) each(a, b, x) VT_EACH14(each, a, b, __VA_ARGS__)
#define VT_EACH16(each, a, b, x, ...) each(a, b, x) VT_EACH15(each, a, b, __VA_ARGS__)
