// The kernels of one instruction set, and the choice among them.
#pragma once

#include <cstdint>

#include "attention.h"
#include "cat.h"
#include "depthwise.h"
#include "direct-conv.h"
#include "gemm.h"
#include "group-norm.h"
#include "layer-norm.h"
#include "narrow-linear.h"
#include "panels.h"
#include "pointwise.h"
#include "pool.h"
#include "recurrent.h"
#include "squeeze-excite.h"
#include "transposed-conv.h"
#include "transposition.h"
#include "winograd.h"

namespace pt2 {

struct Kernels {
  const char* name;
  int64_t lanes;
  void (*depthwise)(const Depthwise&, int64_t begin, int64_t end, float* scratch);
  void (*direct_conv)(const DirectConv&, int64_t begin, int64_t end, float* scratch);
  void (*transposed_conv)(const TransposedConv&, int64_t begin, int64_t end, float* scratch);
  GemmShape (*gemm_shape)(int64_t columns);
  int64_t (*conv_panel)(int64_t columns, int64_t width);
  int64_t (*conv_rows)(const DirectConv&);
  int64_t widest_panel;
  void (*pack_panels)(const Panels&, int64_t begin, int64_t end);
  void (*gemm)(const Gemm&, int64_t begin, int64_t end, GemmCopy& copy);
  int64_t (*narrow_scratch)(const NarrowLinear&);
  void (*narrow_linear)(const NarrowLinear&, int64_t begin, int64_t end, float* scratch);
  void (*channel_means)(const float* x, int64_t pixels, int64_t pitch, int64_t begin, int64_t end, float* means);
  int64_t squeezed_rows;
  void (*squeeze)(const SqueezeExcite&, const float* means, int64_t begin, int64_t end, float* hidden);
  void (*excite)(const SqueezeExcite&, const float* hidden, int64_t begin, int64_t end, float* out);
  void (*scale_pixels)(const SqueezeExcite&, const float* gates, int64_t begin, int64_t end);
  void (*recurrent)(const Recurrent&, int64_t begin, int64_t end, float* scratch);
  void (*attention)(const Attention&, int64_t begin, int64_t end, float* scratch);
  void (*layer_norm)(const LayerNorm&, int64_t begin, int64_t end);
  void (*group_norm_moments)(const GroupNorm&, int64_t n, int64_t begin, int64_t end);
  void (*group_norm_factors)(const GroupNorm&, int64_t n, int64_t begin, int64_t end);
  void (*group_norm_pixels)(const GroupNorm&, int64_t n, int64_t begin, int64_t end);
  void (*pack_winograd_panels)(const WinogradPanels&, int64_t begin, int64_t end);
  void (*winograd_input)(const Winograd&, const WinogradChunk&, int64_t begin, int64_t end);
  void (*winograd_products)(const Winograd&, const WinogradChunk&, int64_t begin, int64_t end);
  void (*winograd_output)(const Winograd&, const WinogradChunk&, int64_t begin, int64_t end);
  void (*pointwise)(const Pointwise&, char* const* data, const int64_t* strides, int64_t columns, int64_t rows);
  void (*transpose_bands)(const Transposition&, int64_t begin, int64_t end);
  void (*concatenate)(const Concatenation&, int64_t begin, int64_t end);
  void (*max_pool)(const Pool&, int64_t begin, int64_t end);
  void (*avg_pool)(const Pool&, int64_t begin, int64_t end);
};

/// The widest set that this processor has and that `ATEN_CPU_CAPABILITY` allows; chosen once.
const Kernels& kernels();

namespace portable {
extern const Kernels kKernels;
}
#if defined(__x86_64__)
namespace avx2 {
extern const Kernels kKernels;
}
namespace avx512 {
extern const Kernels kKernels;
}
#endif

}  // namespace pt2
