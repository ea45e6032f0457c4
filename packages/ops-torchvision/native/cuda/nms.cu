// torchvision::nms on GPUs: all pairs of boxes are compared at once, 64 to a word of bits, and one block of threads
// then decides which boxes are kept. The host waits only for their number.
#include "../nms.h"

#include "elements.h"
#include "launch.h"

namespace pt2 {
namespace {

constexpr int64_t kBits = 64;

// How many boxes a column has, from box `first` on.
PT2_DEVICE int64_t boxesOf(int64_t first, int64_t count) { return first + kBits < count ? kBits : count - first; }

// A box, in one load.
template <typename T>
struct alignas(4 * sizeof(T)) Corners {
  T x1, y1, x2, y2;

  PT2_DEVICE T area() const { return (x2 - x1) * (y2 - y1); }

  // The comparisons of the kernel for CPUs, which decide what NaN does. `later` has the lower score.
  PT2_DEVICE bool overlaps(const Corners& later, T threshold) const {
    const T width = (later.x2 < x2 ? later.x2 : x2) - (x1 < later.x1 ? later.x1 : x1);
    const T height = (later.y2 < y2 ? later.y2 : y2) - (y1 < later.y1 ? later.y1 : y1);
    const T shared = (0 < width ? width : 0) * (0 < height ? height : 0);
    return shared / (area() + later.area() - shared) > threshold;
  }
};

// Puts boxes into the order of their scores.
template <typename T>
struct OrderBoxes {
  const T* boxes;
  const int64_t* order;
  Corners<T>* to;

  PT2_DEVICE void operator()(int64_t, int32_t i) const {
    const T* box = boxes + order[i] * 4;
    to[i] = {box[0], box[1], box[2], box[3]};
  }
};

// Which of the boxes `64 · column` and later box `i` overlaps, for columns at and right of the diagonal; others are not
// read.
template <typename T>
struct Overlaps {
  const Corners<T>* boxes;
  int64_t count, columns;
  T threshold;
  uint64_t* bits;

  PT2_DEVICE void operator()(int64_t column, int32_t i) const {
    if (i / kBits > column) return;
    const Corners<T> box = boxes[i];
    const int64_t first = column * kBits;
    const int32_t here = static_cast<int32_t>(boxesOf(first, count));
    uint64_t word = 0;
    for (int32_t k = 0; k < here; k++) {
      if (first + k > i && box.overlaps(boxes[first + k], threshold)) word |= uint64_t{1} << k;
    }
    bits[i * columns + column] = word;
  }
};

// Decides column by column which boxes are kept: one thread for the 64 boxes among each other, and then a thread for
// each later column, which collects what those that are kept overlap there. `gone` begins with zeros.
struct Keep {
  const uint64_t* bits;
  int64_t count, columns;
  uint64_t* gone;
  bool* kept;

  struct Shared {
    uint64_t among[kBits];
    uint64_t kept;
  };

  PT2_DEVICE void operator()(const Team& team, Shared& shared) const {
    for (int64_t column = 0; column < columns; column++) {
      const int64_t first = column * kBits, here = boxesOf(first, count);
      const uint64_t* rows = bits + first * columns;
      team.each(here, [&](int64_t k) { shared.among[k] = rows[k * columns + column]; });
      team.each(1, [&](int64_t) {
        uint64_t all = gone[column];
        for (int64_t k = 0; k < here; k++) {
          if ((all >> k & 1) == 0) all |= shared.among[k];
        }
        gone[column] = all;
        shared.kept = ~all;
      });
      team.each(columns - column - 1, [&](int64_t i) {
        const int64_t at = column + 1 + i;
        uint64_t all = gone[at];
        for (int64_t k = 0; k < here; k++) {
          if ((shared.kept >> k & 1) != 0) all |= rows[k * columns + at];
        }
        gone[at] = all;
      });
    }
    team.each(count, [&](int64_t i) { kept[i] = (gone[i / kBits] >> (i % kBits) & 1) == 0; });
  }
};

Tensor masked(const Tensor& x, const Tensor& mask) {
  std::array<StableIValue, 2> stack{torch::stable::detail::from(x), torch::stable::detail::from(mask)};
  STABLE_TORCH_ERROR_CODE_CHECK(torch_call_dispatcher("aten::masked_select", "", stack.data(), TORCH_ABI_VERSION));
  return torch::stable::detail::to<Tensor>(stack[0]);
}

Tensor nmsOnDevice(const Tensor& dets, const Tensor& scores, double iou_threshold) {
  requireBoxes(dets, scores);
  requireOneDevice("nms", {&dets, &scores});
  const Device device(dets);
  const int64_t count = dets.size(0), columns = (count + kBits - 1) / kBits;
  if (count == 0) return empty(dets, {0}, ScalarType::Long);
  const Tensor boxes = wide(dets), order = descending(wide(scores));
  const Tensor ordered = empty(boxes, {count, 4}, boxes.scalar_type());
  const Tensor words = empty(boxes, {count, columns}, ScalarType::Long);
  const Tensor gone = torch::stable::new_zeros(words, std::vector<int64_t>{columns}, ScalarType::Long);
  const Tensor kept = empty(boxes, {count}, ScalarType::Bool);
  uint64_t* bits = mutableElements<uint64_t>(words);
  withNumber(boxes, [&](auto number) {
    using T = decltype(number);
    Corners<T>* corners = mutableElements<Corners<T>>(ordered);
    device.each(1, count, OrderBoxes<T>{elements<T>(boxes), elements<int64_t>(order), corners});
    device.each(columns, count, Overlaps<T>{corners, count, columns, thresholdOf<T>(iou_threshold), bits});
  });
  device.team(Keep{bits, count, columns, mutableElements<uint64_t>(gone), mutableElements<bool>(kept)});
  return masked(order, kept);
}

}  // namespace
}  // namespace pt2

PT2_KERNELS(m) { m.impl("nms", TORCH_BOX(&pt2::nmsOnDevice)); }
