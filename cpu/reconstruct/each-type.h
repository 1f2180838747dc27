/* SPDX-License-Identifier: MIT
 *
 * each-type.h: includes the template IMPL once for each pixel type. A template sees PIXEL, LOWEST, HIGHEST (no pixel is
 * beyond them), LEVELS (how many values there are from 0 on; 0: too many to count), PIXEL_IS_FLOAT, TYPED(name).
 *
 * Reconstruction by erosion is that by dilation with the order turned round: TURNED(v, turn), once on the way in and once
 * on the way out, with turn TURN, or NO_TURN for v itself. Of floats it leaves one zero only: two equal zeros of different
 * sign would make the bytes of a result depend on the order of the work. IS_MINUS_ZERO(v): it is the other one. */
#define TYPED_JOIN(name, id) name##_##id
#define TYPED_EXPAND(name, id) TYPED_JOIN(name, id)
#define TYPED(name) TYPED_EXPAND(name, PIXEL_ID)

#define PIXEL uint8_t
#define PIXEL_ID u8
#define LEVELS 256
#define LOWEST 0
#define HIGHEST UINT8_MAX
#define NO_TURN 0
#define TURN ((PIXEL)-1)
#define TURNED(v, turn) ((PIXEL)((v) ^ (turn)))
#define IS_MINUS_ZERO(v) false
#include IMPL
#undef PIXEL
#undef PIXEL_ID
#undef LEVELS
#undef HIGHEST

#define PIXEL uint16_t
#define PIXEL_ID u16
#define LEVELS 65536
#define HIGHEST UINT16_MAX
#include IMPL
#undef PIXEL
#undef PIXEL_ID
#undef LEVELS
#undef LOWEST
#undef HIGHEST

#define PIXEL int32_t
#define PIXEL_ID i32
#define LEVELS 0
#define LOWEST INT32_MIN
#define HIGHEST INT32_MAX
#include IMPL
#undef PIXEL
#undef PIXEL_ID
#undef LEVELS
#undef LOWEST
#undef HIGHEST
#undef NO_TURN
#undef TURN
#undef TURNED
#undef IS_MINUS_ZERO

#define PIXEL float
#define PIXEL_IS_FLOAT
#define PIXEL_ID f32
#define LEVELS 0
#define LOWEST (-INFINITY)
#define HIGHEST INFINITY
#define NO_TURN 1.0f
#define TURN (-1.0f)
#define TURNED(v, turn) ((v) * (turn) + 0.0f)
#define IS_MINUS_ZERO(v) ((v) == 0 && __builtin_signbit(v))
#include IMPL
#undef PIXEL
#undef PIXEL_IS_FLOAT
#undef PIXEL_ID
#undef LEVELS
#undef LOWEST
#undef HIGHEST
#undef NO_TURN
#undef TURN
#undef TURNED
#undef IS_MINUS_ZERO
