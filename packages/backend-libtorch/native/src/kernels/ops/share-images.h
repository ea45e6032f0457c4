// How kernels share the images of a batch among threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../table.h"
#include "team.h"

namespace pt2 {

/// A thread reads or writes at least this many floats of images.
inline constexpr int64_t kFloatsPerThread = int64_t{8} * 1024;

/// Bands of rows that an image is cut into, and parts that the channels of each are cut into.
struct ImageParts {
  int64_t bands, parts;
};

/// Gives every thread a few pieces: at least `least_bands` and at most `most_bands`, and where these are too few, at
/// most `most_parts` of each.
inline ImageParts cut_images(int64_t batch, int64_t least_bands, int64_t most_bands, int64_t most_parts) {
  const int64_t wanted = (itemsForThreads() + batch - 1) / batch;
  const int64_t bands = std::clamp<int64_t>(std::max(least_bands, wanted), 1, most_bands);
  return {.bands = bands, .parts = std::clamp<int64_t>((wanted + bands - 1) / bands, 1, most_parts)};
}

/// Shares [0, count) of each image, `unit` at a time and at least `grain` for a thread: calls `work(n, begin, end)`.
template <class F>
void share_images(int64_t batch, int64_t count, int64_t unit, int64_t grain, const F& work) {
  const int64_t units = (count + unit - 1) / unit;
  shareRanges(batch * units, std::max<int64_t>(1, grain / unit), [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t n = begin / units, last = std::min(end, (n + 1) * units);
      work(n, begin % units * unit, std::min(count, (last - n * units) * unit));
      begin = last;
    }
  });
}

/// Means over the pixels of each channel, `[batch, channels]`; pixels are `pitch` floats apart. Threads compute whole
/// vectors of channels, so that the sums do not depend on the number of threads.
inline void share_channel_means(const float* x, int64_t batch, int64_t pixels, int64_t channels, int64_t pitch,
                                float* means) {
  const Kernels& k = kernels();
  share_images(batch, channels, k.lanes, kFloatsPerThread / pixels, [&](int64_t n, int64_t begin, int64_t end) {
    k.channel_means(x + n * pixels * pitch, pixels, pitch, begin, end, means + n * channels);
  });
}

}  // namespace pt2
