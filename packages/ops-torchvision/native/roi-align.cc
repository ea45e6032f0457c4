// torchvision::roi_align and its gradient. Sums are formed in the order of torchvision's kernels, so their bits are
// these.
#include "channels-last.h"
#include "listed-samples.h"
#include "schemas.h"

namespace pt2 {
namespace {

// A region without samples has means of 0.
template <typename T>
void setGrid(Grid<T>& grid, const T* roi, const Sampling& call, const Sizes& sizes) {
  grid.set(roi, call, sizes);
  grid.count = std::max(grid.count, static_cast<T>(1));
}

// The means of one bin for `Vectors` vectors of channels. `from` is an element of the first of these channels.
template <typename T, int Vectors>
PT2_INLINE void meanOfBin(const T* from, int64_t stride, int64_t width, const Grid<T>& grid, int64_t row,
                          int64_t column, T* to) {
  typename Simd<T>::Numbers sums[Vectors] = {};
  for (const auto* y = grid.rows.begin(row); y != grid.rows.end(row); y++) {
    for (const auto* x = grid.columns.begin(column); x != grid.columns.end(column); x++) {
      const T *a = from + (y->low * width + x->low) * stride, *b = from + (y->low * width + x->high) * stride;
      const T *c = from + (y->high * width + x->low) * stride, *d = from + (y->high * width + x->high) * stride;
      const T atA = y->atLow * x->atLow, atB = y->atLow * x->atHigh;
      const T atC = y->atHigh * x->atLow, atD = y->atHigh * x->atHigh;
      for (int v = 0; v < Vectors; v++) {
        const int64_t at = v * kLanes<T>;
        sums[v] +=
            atA * numbersAt(a + at) + atB * numbersAt(b + at) + atC * numbersAt(c + at) + atD * numbersAt(d + at);
      }
    }
  }
  for (int v = 0; v < Vectors; v++) numbersAt(to + v * kLanes<T>) = sums[v] / grid.count;
}

constexpr int kVectors = 4;

// All bins of a region, [channels, bins]. `scratch` holds the means of a block of channels, [bins, channels of a
// block].
template <typename T>
PT2_INLINE void poolVectors(const T* features, int64_t stride, const Sizes& sizes, const Sampling& call,
                            const Grid<T>& grid, T* scratch, T* to) {
  constexpr int64_t kBlock = kVectors * kLanes<T>;
  const int64_t bins = call.down * call.across;
  for (int64_t c = 0; c < stride; c += kBlock) {
    const int64_t block = std::min(kBlock, stride - c);
    for (int64_t bin = 0; bin < bins; bin++) {
      const int64_t row = bin / call.across, column = bin % call.across;
      T* means = scratch + bin * kBlock;
      if (block == kBlock) {
        meanOfBin<T, kVectors>(features + c, stride, sizes.width, grid, row, column, means);
        continue;
      }
      for (int64_t at = 0; at < block; at += kLanes<T>) {
        meanOfBin<T, 1>(features + c + at, stride, sizes.width, grid, row, column, means + at);
      }
    }
    const int64_t there = std::min(block, sizes.channels - c);
    for (int64_t first = 0; first < there; first += 8) {
      const int64_t last = std::min(first + 8, there);
      for (int64_t bin = 0; bin < bins; bin++) {
        for (int64_t k = first; k < last; k++) to[(c + k) * bins + bin] = scratch[bin * kBlock + k];
      }
    }
  }
}

PT2_CLONES void poolRegion(const float* features, int64_t stride, const Sizes& sizes, const Sampling& call,
                           const Grid<float>& grid, float* scratch, float* to) {
  poolVectors(features, stride, sizes, call, grid, scratch, to);
}

PT2_CLONES void poolRegion(const double* features, int64_t stride, const Sizes& sizes, const Sampling& call,
                           const Grid<double>& grid, double* scratch, double* to) {
  poolVectors(features, stride, sizes, call, grid, scratch, to);
}

// What one sample reads in a plane.
template <typename T>
struct Corners {
  int64_t a, b, c, d;
  T atA, atB, atC, atD;
};

// The same from features as they are, for so few regions that it does not pay to copy the features. `samples` and
// `ends` are memory to work in.
template <typename T>
void poolPlanes(const T* features, const Sizes& sizes, const Sampling& call, const Grid<T>& grid,
                std::vector<Corners<T>>& samples, std::vector<size_t>& ends, T* to) {
  samples.clear();
  ends.clear();
  for (int64_t bin = 0; bin < call.down * call.across; bin++) {
    const int64_t row = bin / call.across, column = bin % call.across;
    for (const auto* y = grid.rows.begin(row); y != grid.rows.end(row); y++) {
      const int64_t low = y->low * sizes.width, high = y->high * sizes.width;
      for (const auto* x = grid.columns.begin(column); x != grid.columns.end(column); x++) {
        samples.push_back({low + x->low, low + x->high, high + x->low, high + x->high, y->atLow * x->atLow,
                           y->atLow * x->atHigh, y->atHigh * x->atLow, y->atHigh * x->atHigh});
      }
    }
    ends.push_back(samples.size());
  }
  for (int64_t c = 0; c < sizes.channels; c++) {
    const T* plane = features + c * sizes.plane();
    const Corners<T>* at = samples.data();
    for (const size_t end : ends) {
      T sum = 0;
      for (; at != samples.data() + end; at++) {
        sum += at->atA * plane[at->a] + at->atB * plane[at->b] + at->atC * plane[at->c] + at->atD * plane[at->d];
      }
      *to++ = sum / grid.count;
    }
  }
}

template <typename T>
void forward(const T* input, const T* rois, int64_t regions, const Sizes& sizes, const Sampling& call, T* out) {
  const int64_t bins = call.down * call.across;
  const double samplesOfBin = call.ratio > 0 ? static_cast<double>(call.ratio) * call.ratio : 4;
  const bool few = samplesOfBin * regions * bins < 0.25 * sizes.pictures * sizes.plane();
  const std::unique_ptr<ChannelsLast<T>> features(few ? nullptr : new ChannelsLast<T>(input, sizes));
  torch::stable::parallel_for(0, regions, 1, [&](int64_t first, int64_t last) {
    Grid<T> grid;
    std::vector<Corners<T>> samples;
    std::vector<size_t> ends;
    std::vector<T> scratch(few ? 0 : static_cast<size_t>(bins * kVectors * kLanes<T>));
    for (int64_t i = first; i < last; i++) {
      T* to = out + i * sizes.channels * bins;
      const int64_t picture = pictureOf(rois + i * 5, sizes);
      if (picture < 0) {
        std::fill_n(to, sizes.channels * bins, static_cast<T>(0));
        continue;
      }
      setGrid(grid, rois + i * 5, call, sizes);
      if (few) {
        poolPlanes(input + picture * sizes.channels * sizes.plane(), sizes, call, grid, samples, ends, to);
      } else {
        poolRegion(features->picture(picture), features->stride(), sizes, call, grid, scratch.data(), to);
      }
    }
  });
}

Tensor roiAlign(const Tensor& input, const Tensor& rois, double scale, int64_t down, int64_t across, int64_t ratio,
                bool aligned) {
  requireRegions("roi_align", input, rois, down, across);
  requireSamples("roi_align", ratio);
  const Sizes sizes = sizesOf(input);
  const Tensor features = wide(input), regions = wide(rois);
  const Tensor out = empty(features, {rois.size(0), sizes.channels, down, across}, features.scalar_type());
  withNumber(features, [&](auto number) {
    using T = decltype(number);
    const Sampling call = {scale, down, across, ratio, aligned};
    forward(elements<T>(features), elements<T>(regions), rois.size(0), sizes, call, mutableElements<T>(out));
  });
  return likeThat(out, input);
}

Tensor roiAlignBackward(const Tensor& grad, const Tensor& rois, double scale, int64_t down, int64_t across,
                        int64_t batch_size, int64_t channels, int64_t height, int64_t width, int64_t ratio,
                        bool aligned) {
  const Sizes sizes = {batch_size, channels, height, width};
  requireGradient("_roi_align_backward", grad, rois, down, across, sizes);
  requireSamples("_roi_align_backward", ratio);
  STD_TORCH_CHECK(grad.size(1) == channels, "_roi_align_backward: grad has other channels");
  const Tensor given = wide(grad), regions = wide(rois);
  const Tensor out = zeros(given, {batch_size, channels, height, width});
  withNumber(given, [&](auto number) {
    using T = decltype(number);
    const Sampling call = {scale, down, across, ratio, aligned};
    const T *from = elements<T>(given), *roi = elements<T>(regions);
    T* to = mutableElements<T>(out);
    const int64_t bins = down * across;
    // Regions overlap, channels do not.
    torch::stable::parallel_for(0, channels, 1, [&](int64_t first, int64_t last) {
      Grid<T> grid;
      for (int64_t i = 0; i < rois.size(0); i++) {
        const int64_t picture = pictureOf(roi + i * 5, sizes);
        if (picture < 0) continue;
        setGrid(grid, roi + i * 5, call, sizes);
        for (int64_t c = first; c < last; c++) {
          T* plane = to + (picture * channels + c) * sizes.plane();
          const T* grads = from + (i * channels + c) * bins;
          for (int64_t bin = 0; bin < bins; bin++) {
            spreadBin(grads[bin], grid, bin / across, bin % across, width, plane);
          }
        }
      }
    });
  });
  return likeThat(out, grad);
}

}  // namespace
}  // namespace pt2

STABLE_TORCH_LIBRARY_FRAGMENT(torchvision, m) {
  m.def(pt2::kRoiAlign);
  m.def(pt2::kRoiAlignBackward);
}

STABLE_TORCH_LIBRARY_IMPL(torchvision, CPU, m) {
  m.impl("roi_align", TORCH_BOX(&pt2::roiAlign));
  m.impl("_roi_align_backward", TORCH_BOX(&pt2::roiAlignBackward));
}
