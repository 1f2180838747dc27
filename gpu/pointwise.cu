/* SPDX-License-Identifier: MIT
 *
 * Operations on floats are single ones (the file is compiled without contraction), so they round as the CPU's do. */
#include "gpu.h"
#include "pixels.cuh"

#include <math.h>

/* No pixel b: reads nothing. */
struct None {
};

template <typename A, typename B, typename D, typename F> struct Each {
  VtGpuView<A> a;
  VtGpuView<B> b;
  VtGpuView<D> dst;
  F f;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    if (inside)
      dst.row(y)[x] = f(a.row(y)[x], b.row(y)[x]);
  }
};

template <typename A, typename D, typename F> struct Each<A, None, D, F> {
  VtGpuView<A> a;
  VtGpuView<None> b;
  VtGpuView<D> dst;
  F f;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    if (inside)
      dst.row(y)[x] = f(a.row(y)[x]);
  }
};

template <typename A, typename B, typename D, typename F>
static VitrailStatus
each(VtDevice *device, const VtPointwise *p, const F &f)
{
  const Each<A, B, D, F> work = { VtGpuView<A>(p->a), VtGpuView<B>(p->b), VtGpuView<D>(p->dst), f };
  return vt_gpu_pixels(device, "pointwise", p->a.width, p->a.height, work);
}

template <typename T> struct Above {
  double s;
  __device__ uint8_t operator()(T a) const
  {
    return static_cast<double>(a) > s ? 255 : 0;
  }
};

template <typename T> struct AboveImage {
  __device__ uint8_t operator()(T a, T b) const
  {
    return a > b ? 255 : 0;
  }
};

template <typename T> struct Subtract {
  __device__ T operator()(T a, T b) const
  {
    return a > b ? static_cast<T>(a - b) : static_cast<T>(0);
  }
};

template <typename T> struct Lower {
  uint32_t level;
  __device__ T operator()(T a) const
  {
    return a > level ? static_cast<T>(a - level) : static_cast<T>(0);
  }
};

template <typename T> struct Complement {
  __device__ T operator()(T a) const
  {
    return static_cast<T>(~a);
  }
};

template <typename T> struct Widen {
  __device__ uint16_t operator()(T a) const
  {
    return a;
  }
};

struct Not {
  __device__ uint8_t operator()(uint8_t a) const
  {
    return a ? 0 : 255;
  }
};

struct And {
  __device__ uint8_t operator()(uint8_t a, uint8_t b) const
  {
    return a && b ? 255 : 0;
  }
};

struct ShiftDown {
  float s;
  __device__ float operator()(float a) const
  {
    return __fsub_rn(a, s);
  }
};

struct NextBelow {
  __device__ float operator()(float a) const
  {
    const uint32_t bits = __float_as_uint(a);
    const uint32_t down = bits == 0 ? 0x80000001u : bits >> 31 ? bits + 1 : bits - 1;
    const bool stays = (bits & 0x7fffffffu) > 0x7f800000u || bits == 0xff800000u; /* NaN, -inf */
    return stays ? a : __uint_as_float(down);
  }
};

struct Select {
  float s;
  __device__ float operator()(float a, uint8_t b) const
  {
    return b ? a : s;
  }
};

template <typename T>
static VitrailStatus
run_on_integers(VtDevice *device, const VtPointwise *p)
{
  const uint32_t max = static_cast<T>(-1), level = p->s >= 0 && p->s < max ? static_cast<uint32_t>(p->s) : max;
  switch (p->op) {
  case VT_PW_ABOVE: return each<T, None, uint8_t>(device, p, Above<T>{ p->s });
  case VT_PW_LOWER_CLAMP: return each<T, None, T>(device, p, Lower<T>{ level });
  case VT_PW_COMPLEMENT: return each<T, None, T>(device, p, Complement<T>());
  case VT_PW_WIDEN: return each<T, None, uint16_t>(device, p, Widen<T>());
  case VT_PW_SUBTRACT_CLAMP: return each<uint16_t, uint16_t, uint16_t>(device, p, Subtract<uint16_t>());
  case VT_PW_NOT: return each<uint8_t, None, uint8_t>(device, p, Not());
  default: return each<uint8_t, uint8_t, uint8_t>(device, p, And());
  }
}

static VitrailStatus
run_on_floats(VtDevice *device, const VtPointwise *p)
{
  const float s = static_cast<float>(p->s);
  switch (p->op) {
  case VT_PW_ABOVE: return each<float, None, uint8_t>(device, p, Above<float>{ p->s });
  case VT_PW_ABOVE_IMAGE: return each<float, float, uint8_t>(device, p, AboveImage<float>());
  case VT_PW_SHIFT_DOWN: return each<float, None, float>(device, p, ShiftDown{ s });
  case VT_PW_NEXT_BELOW: return each<float, None, float>(device, p, NextBelow());
  default: return each<float, uint8_t, float>(device, p, Select{ s });
  }
}

VitrailStatus
vt_gpu_pointwise(VtDevice *device, const VtPointwise *args, const VtCancel *cancel)
{
  VT_GPU_USE(device, vt_pointwise_ok(args));
  if (vt_cancelled(cancel))
    return VITRAIL_CANCELLED;
  if (args->a.type == VITRAIL_U8)
    VT_TRY(run_on_integers<uint8_t>(device, args));
  else if (args->a.type == VITRAIL_U16)
    VT_TRY(run_on_integers<uint16_t>(device, args));
  else
    VT_TRY(run_on_floats(device, args));
  return vt_gpu_sync(device);
}
