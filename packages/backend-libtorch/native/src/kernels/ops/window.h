// Windows that move over an image: their parameters, and how many there are.
#pragma once

#include <c10/util/ArrayRef.h>
#include <c10/util/Exception.h>

#include <array>
#include <cstdint>

namespace pt2 {

/// The largest stride, padding or dilation: keeps sizes of padded copies within reason and products inside int64.
inline constexpr int64_t kMostSteps = 4096;

inline void check_pair(c10::ArrayRef<int64_t> pair, int64_t least, const char* op, const char* name) {
  TORCH_CHECK(
      pair.size() == 2 && pair[0] >= least && pair[1] >= least && pair[0] <= kMostSteps && pair[1] <= kMostSteps,
      "pt2::", op, ": ", name, " must be two integers in [", least, ", ", kMostSteps, "], got ", pair);
}

/// Padding of an image above, on the left, below, on the right: as many numbers, or one for both sides of each.
inline std::array<int64_t, 4> sides_of(c10::ArrayRef<int64_t> padding, const char* op) {
  TORCH_CHECK(padding.size() == 2 || padding.size() == 4, "pt2::", op, ": padding must be two or four integers, got ",
              padding);
  check_pair(padding.slice(0, 2), 0, op, "padding");
  check_pair(padding.slice(padding.size() - 2), 0, op, "padding");
  return {padding[0], padding[1], padding[padding.size() - 2], padding[padding.size() - 1]};
}

/// Windows along one side of an image, as PyTorch counts them; in ceil mode the last one must start inside the image or
/// its left padding, and may be larger than what it starts in.
inline int64_t window_count(int64_t size, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation, bool ceil_mode,
                            const char* op) {
  const int64_t span = dilation * (kernel - 1) + 1;
  const int64_t room = size + 2 * pad - span + (ceil_mode ? stride - 1 : 0);
  TORCH_CHECK(room >= 0, "pt2::", op, ": a kernel that spans ", span, " does not fit an input of ", size,
              " with padding ", pad);
  const int64_t count = room / stride + 1;
  return ceil_mode && (count - 1) * stride >= size + pad ? count - 1 : count;
}

}  // namespace pt2
