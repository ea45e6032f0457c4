// torchvision::nms. The results are those of torchvision's kernel, also for NaN, equal scores and boxes whose corners
// are swapped: the same comparisons of the same numbers in an order that does not matter.
#include "nms.h"

#include "schemas.h"
#include "simd.h"

namespace pt2 {
namespace {

// Boxes by descending score, each coordinate by itself, padded to whole vectors.
template <typename T>
struct Boxes {
  using Flag = typename Simd<T>::Flag;
  int64_t count;
  std::vector<T> x1, y1, x2, y2, area;
  std::vector<Flag> suppressed;

  Boxes(const T* corners, const int64_t* order, int64_t n) : count(n) {
    const int64_t padded = (n + kLanes<T> - 1) / kLanes<T> * kLanes<T>;
    for (std::vector<T>* list : {&x1, &y1, &x2, &y2, &area}) list->resize(static_cast<size_t>(padded));
    suppressed.resize(static_cast<size_t>(padded));
    for (int64_t i = 0; i < n; i++) {
      const T* box = corners + order[i] * 4;
      x1[i] = box[0];
      y1[i] = box[1];
      x2[i] = box[2];
      y2[i] = box[3];
      area[i] = (box[2] - box[0]) * (box[3] - box[1]);
    }
  }
};

// Marks the boxes of some vectors that one of the boxes `by` overlaps by more than the threshold.
template <typename T>
PT2_INLINE void suppress(Boxes<T>& boxes, const int64_t* by, int64_t count, int64_t from, int64_t to, T threshold) {
  using Numbers = typename Simd<T>::Numbers;
  using Flags = typename Simd<T>::Flags;
  const Numbers zero = {};
  for (int64_t at = from * kLanes<T>; at < to * kLanes<T>; at += kLanes<T>) {
    Flags& marks = *reinterpret_cast<Flags*>(&boxes.suppressed[at]);
    typename Simd<T>::Flag all = -1;
    for (int64_t lane = 0; lane < kLanes<T>; lane++) all &= boxes.suppressed[at + lane];
    if (all != 0) continue;
    const Numbers x1 = numbersAt(&boxes.x1[at]), y1 = numbersAt(&boxes.y1[at]);
    const Numbers x2 = numbersAt(&boxes.x2[at]), y2 = numbersAt(&boxes.y2[at]);
    const Numbers area = numbersAt(&boxes.area[at]);
    Flags found = marks;
    for (int64_t k = 0; k < count; k++) {
      const int64_t i = by[k];
      // Written as std::max and std::min compare, which decides what NaN does.
      const Numbers left = boxes.x1[i] + zero, top = boxes.y1[i] + zero;
      const Numbers right = boxes.x2[i] + zero, bottom = boxes.y2[i] + zero;
      const Numbers width = (x2 < right ? x2 : right) - (left < x1 ? x1 : left);
      const Numbers height = (y2 < bottom ? y2 : bottom) - (top < y1 ? y1 : top);
      const Numbers shared = (zero < width ? width : zero) * (zero < height ? height : zero);
      found |= (shared / (boxes.area[i] + area - shared)) > threshold;
    }
    marks = found;
  }
}

PT2_CLONES void suppressIn(Boxes<float>& boxes, const int64_t* by, int64_t count, int64_t from, int64_t to, float t) {
  suppress(boxes, by, count, from, to, t);
}

PT2_CLONES void suppressIn(Boxes<double>& boxes, const int64_t* by, int64_t count, int64_t from, int64_t to, double t) {
  suppress(boxes, by, count, from, to, t);
}

// Boxes are taken in blocks: first it is decided which of a block are kept, one after another, and then these suppress
// all later boxes in parallel.
template <typename T>
std::vector<int64_t> keptOf(Boxes<T>& boxes, T threshold) {
  constexpr int64_t kBlock = 1024;
  // What makes it worth to wake a thread: half a million vectors against a box each, about two milliseconds.
  constexpr int64_t kWorkOfThread = 1 << 19;
  const int64_t vectors = static_cast<int64_t>(boxes.area.size()) / kLanes<T>;
  std::vector<int64_t> kept;
  for (int64_t begin = 0; begin < boxes.count; begin += kBlock) {
    const int64_t end = std::min(begin + kBlock, boxes.count);
    const int64_t endVector = (end + kLanes<T> - 1) / kLanes<T>;
    const size_t before = kept.size();
    for (int64_t i = begin; i < end; i++) {
      if (boxes.suppressed[i] != 0) continue;
      kept.push_back(i);
      suppressIn(boxes, &i, 1, i / kLanes<T>, endVector, threshold);
    }
    const int64_t count = static_cast<int64_t>(kept.size() - before);
    if (count == 0 || endVector >= vectors) continue;
    torch::stable::parallel_for(endVector, vectors, kWorkOfThread / count, [&](int64_t from, int64_t to) {
      suppressIn(boxes, &kept[before], count, from, to, threshold);
    });
  }
  return kept;
}

Tensor nms(const Tensor& dets, const Tensor& scores, double iou_threshold) {
  requireBoxes(dets, scores);
  const Tensor corners = wide(dets);
  const Tensor order = descending(wide(scores));
  const int64_t* from = elements<int64_t>(order);
  std::vector<int64_t> kept;
  withNumber(corners, [&](auto number) {
    using T = decltype(number);
    Boxes<T> boxes(elements<T>(corners), from, dets.size(0));
    kept = keptOf(boxes, thresholdOf<T>(iou_threshold));
  });
  const Tensor result = empty(dets, {static_cast<int64_t>(kept.size())}, ScalarType::Long);
  int64_t* to = mutableElements<int64_t>(result);
  for (size_t i = 0; i < kept.size(); i++) to[i] = from[kept[i]];
  return result;
}

}  // namespace
}  // namespace pt2

STABLE_TORCH_LIBRARY_FRAGMENT(torchvision, m) { m.def(pt2::kNms); }

STABLE_TORCH_LIBRARY_IMPL(torchvision, CPU, m) { m.impl("nms", TORCH_BOX(&pt2::nms)); }
