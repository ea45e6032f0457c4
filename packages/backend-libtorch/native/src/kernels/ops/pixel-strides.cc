// Images whose pixels lie one after the other, and say so.
#include <ATen/ops/as_strided.h>
#include <c10/core/MemoryFormat.h>

#include "ops.h"

namespace pt2 {

at::Tensor pixel_strides(const at::Tensor& x) {
  constexpr at::MemoryFormat kFormat = at::MemoryFormat::ChannelsLast;
  // What is contiguous as well, of one channel or one pixel, keeps what it says.
  if (x.dim() != 4 || x.is_contiguous() || !x.is_contiguous(kFormat) || x.suggest_memory_format() == kFormat) return x;
  return at::as_strided(x, x.sizes(), c10::get_channels_last_strides_2d(x.sizes()));
}

}  // namespace pt2
