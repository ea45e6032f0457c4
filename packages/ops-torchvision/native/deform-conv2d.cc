// torchvision::deform_conv2d and its gradient: what each tap reads becomes a matrix, which PyTorch's own product
// multiplies by the weights.
#include <array>
#include <tuple>

#include "deformed.h"
#include "schemas.h"
#include "simd.h"

namespace pt2 {
namespace {

// a [G, M, K] times b [G, K, N] into `out` [G, M, N].
void product(const Tensor& a, const Tensor& b, const Tensor& out) {
  std::array<StableIValue, 3> stack{torch::stable::detail::from(a), torch::stable::detail::from(b),
                                    torch::stable::detail::from(out)};
  STABLE_TORCH_ERROR_CODE_CHECK(torch_call_dispatcher("aten::bmm", "out", stack.data(), TORCH_ABI_VERSION));
  torch::stable::detail::to<Tensor>(stack[0]);
}

Tensor reshaped(const Tensor& x, std::initializer_list<int64_t> sizes) {
  const std::vector<int64_t> list(sizes);
  return torch::stable::view(x, list);
}

// Picture `n` of a dense tensor, as [groups, rows of a group, columns].
Tensor pictureOf(const Tensor& x, int64_t n, int64_t groups, int64_t rows, int64_t columns) {
  return reshaped(torch::stable::select(x, 0, n), {groups, rows / groups, columns});
}

// What a channel reads, interpolated and masked. `plane` ends with a zero.
template <typename T>
PT2_INLINE void read(const T* plane, const Places<T>& places, int64_t count, T* to) {
  const int32_t *a = places.corners[0].data(), *b = places.corners[1].data();
  const int32_t *c = places.corners[2].data(), *d = places.corners[3].data();
  const T *y = places.y.data(), *x = places.x.data(), *mask = places.mask.data();
  for (int64_t i = 0; i < count; i++) {
    const T up = 1 - y[i], left = 1 - x[i];
    to[i] = mask[i] *
            (up * left * plane[a[i]] + up * x[i] * plane[b[i]] + y[i] * left * plane[c[i]] + y[i] * x[i] * plane[d[i]]);
  }
}

PT2_CLONES void readChannel(const float* plane, const Places<float>& places, int64_t count, float* to) {
  read(plane, places, count, to);
}

PT2_CLONES void readChannel(const double* plane, const Places<double>& places, int64_t count, double* to) {
  read(plane, places, count, to);
}

template <typename T>
void copyPlane(const T* from, const Geometry& g, std::vector<T>& plane) {
  std::copy_n(from, g.plane(), plane.data());
  plane[static_cast<size_t>(g.plane())] = 0;
}

// The matrix of one picture, [channels · taps, pixels].
template <typename T>
void columnsOf(const T* input, const Places<T>& places, int64_t first, int64_t last, const Geometry& g, T* columns) {
  torch::stable::parallel_for(first, last, 1, [&](int64_t from, int64_t to) {
    std::vector<T> plane(static_cast<size_t>(g.plane() + 1));
    for (int64_t c = from; c < to; c++) {
      copyPlane(input + c * g.plane(), g, plane);
      readChannel(plane.data(), places, g.places(), columns + c * g.places());
    }
  });
}

// The offsets and masks of a group in a picture; the latter null where there is no mask.
template <typename T>
void setPlaces(Places<T>& places, const Tensor& offset, const Tensor& mask, int64_t picture, int64_t group,
               const Geometry& g, const Deformation& call) {
  const int64_t at = (picture * call.offsetGroups + group) * g.places();
  places.set(elements<T>(offset) + 2 * at, call.useMask ? elements<T>(mask) + at : nullptr, g, call);
}

Tensor deformConv2d(const Tensor& input, const Tensor& weight, const Tensor& offset, const Tensor& mask,
                    const Tensor& bias, int64_t stride_h, int64_t stride_w, int64_t pad_h, int64_t pad_w,
                    int64_t dilation_h, int64_t dilation_w, int64_t groups, int64_t offset_groups, bool use_mask) {
  const Deformation call = {{stride_h, stride_w}, {pad_h, pad_w}, {dilation_h, dilation_w}, groups,
                            offset_groups,        use_mask};
  const Geometry g = geometryOf(input, weight, offset, mask, bias, call);
  const Tensor features = wide(input), offsets = wide(offset), masks = wide(mask), biases = wide(bias);
  const int64_t rows = g.channels * g.taps();
  const Tensor weights = reshaped(wide(weight), {groups, g.out / groups, rows / groups});
  const ScalarType type = features.scalar_type();
  const Tensor out = empty(features, {g.batch, g.out, g.down, g.across}, type);
  const Tensor columns = empty(features, {groups, rows / groups, g.pixels()}, type);
  withNumber(features, [&](auto number) {
    using T = decltype(number);
    Places<T> places(g, false);
    const int64_t share = g.channels / offset_groups;
    for (int64_t n = 0; n < g.batch; n++) {
      for (int64_t group = 0; group < offset_groups; group++) {
        setPlaces(places, offsets, masks, n, group, g, call);
        columnsOf(elements<T>(features) + n * g.channels * g.plane(), places, group * share, (group + 1) * share, g,
                  mutableElements<T>(columns));
      }
      product(weights, columns, pictureOf(out, n, groups, g.out, g.pixels()));
      T* to = mutableElements<T>(out) + n * g.out * g.pixels();
      const T* added = elements<T>(biases);
      torch::stable::parallel_for(0, g.out, 16, [&](int64_t first, int64_t last) {
        for (int64_t c = first; c < last; c++) {
          for (int64_t p = 0; p < g.pixels(); p++) to[c * g.pixels() + p] += added[c];
        }
      });
    }
  });
  return likeThat(out, input);
}

// Adds to the gradients of the offsets and of the mask of a group what its channels give. `grads`, `offset` and `mask`
// begin with those of the group; a thread has some of the taps.
template <typename T>
void gradientOfPlaces(const T* input, const T* grads, const Places<T>& places, int64_t channels, const Geometry& g,
                      T* offset, T* mask) {
  const int64_t pixels = g.pixels();
  torch::stable::parallel_for(0, g.taps(), 1, [&](int64_t first, int64_t last) {
    std::vector<T> plane(static_cast<size_t>(g.plane() + 1));
    for (int64_t c = 0; c < channels; c++) {
      copyPlane(input + c * g.plane(), g, plane);
      for (int64_t i = first * pixels; i < last * pixels; i++) {
        const T a = plane[places.corners[0][i]], b = plane[places.corners[1][i]];
        const T d = plane[places.corners[2][i]], e = plane[places.corners[3][i]];
        const T y = places.y[i], x = places.x[i], up = 1 - y, left = 1 - x;
        const T grad = grads[c * g.places() + i], masked = grad * places.mask[i];
        const int64_t at = i / pixels * 2 * pixels + i % pixels;
        offset[at] += masked * (left * (d - a) + x * (e - b));
        offset[at + pixels] += masked * (up * (b - a) + y * (e - d));
        if (mask != nullptr) mask[i] += grad * (up * left * a + up * x * b + y * left * d + y * x * e);
      }
    }
  });
}

// Adds to the gradient of the input what the columns of its channels give.
template <typename T>
void gradientOfInput(const T* grads, const Places<T>& places, int64_t channels, const Geometry& g, T* input) {
  torch::stable::parallel_for(0, channels, 1, [&](int64_t first, int64_t last) {
    std::vector<T> plane(static_cast<size_t>(g.plane() + 1));
    for (int64_t c = first; c < last; c++) {
      std::fill(plane.begin(), plane.end(), static_cast<T>(0));
      const T* grad = grads + c * g.places();
      for (int64_t i = 0; i < g.places(); i++) {
        const T y = places.y[i], x = places.x[i], masked = grad[i] * places.mask[i];
        plane[places.corners[0][i]] += masked * (1 - y) * (1 - x);
        plane[places.corners[1][i]] += masked * (1 - y) * x;
        plane[places.corners[2][i]] += masked * y * (1 - x);
        plane[places.corners[3][i]] += masked * y * x;
      }
      for (int64_t i = 0; i < g.plane(); i++) input[c * g.plane() + i] += plane[i];
    }
  });
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> deformConv2dBackward(
    const Tensor& grad, const Tensor& input, const Tensor& weight, const Tensor& offset, const Tensor& mask,
    const Tensor& bias, int64_t stride_h, int64_t stride_w, int64_t pad_h, int64_t pad_w, int64_t dilation_h,
    int64_t dilation_w, int64_t groups, int64_t offset_groups, bool use_mask) {
  const Deformation call = {{stride_h, stride_w}, {pad_h, pad_w}, {dilation_h, dilation_w}, groups,
                            offset_groups,        use_mask};
  const Geometry g = geometryOf(input, weight, offset, mask, bias, call);
  requireSizes("_deform_conv2d_backward: grad", grad, {g.batch, g.out, g.down, g.across});
  STD_TORCH_CHECK(grad.scalar_type() == input.scalar_type(), "_deform_conv2d_backward: grad has another dtype");
  const Tensor given = wide(grad), features = wide(input), offsets = wide(offset), masks = wide(mask);
  const int64_t rows = g.channels * g.taps(), pixels = g.pixels(), share = g.channels / offset_groups;
  const Tensor weights = reshaped(wide(weight), {groups, g.out / groups, rows / groups});
  const Tensor transposed = torch::stable::transpose(weights, 1, 2);
  const ScalarType type = features.scalar_type();
  const Tensor columns = empty(features, {groups, rows / groups, pixels}, type);
  const Tensor ofColumns = empty(features, {groups, rows / groups, pixels}, type);
  const Tensor ofWeightHere = empty(features, {groups, g.out / groups, rows / groups}, type);
  const Tensor ofInput = torch::stable::new_zeros(features, features.sizes(), type);
  const Tensor ofWeight = torch::stable::new_zeros(features, weight.sizes(), type);
  const Tensor ofOffset = torch::stable::new_zeros(features, offset.sizes(), type);
  const Tensor ofMask = torch::stable::new_zeros(features, mask.sizes(), type);
  const std::array<int64_t, 3> others = {0, 2, 3};
  const Tensor ofBias = torch::stable::sum(given, others);
  withNumber(features, [&](auto number) {
    using T = decltype(number);
    Places<T> places(g, true);
    for (int64_t n = 0; n < g.batch; n++) {
      const Tensor here = pictureOf(given, n, groups, g.out, pixels);
      product(transposed, here, ofColumns);
      for (int64_t group = 0; group < offset_groups; group++) {
        setPlaces(places, offsets, masks, n, group, g, call);
        const int64_t channel = n * g.channels + group * share, at = (n * offset_groups + group) * g.places();
        const T* from = elements<T>(features) + channel * g.plane();
        const T* grads = elements<T>(ofColumns) + group * share * g.places();
        columnsOf(elements<T>(features) + n * g.channels * g.plane(), places, group * share, (group + 1) * share, g,
                  mutableElements<T>(columns));
        gradientOfPlaces(from, grads, places, share, g, mutableElements<T>(ofOffset) + 2 * at,
                         use_mask ? mutableElements<T>(ofMask) + at : nullptr);
        gradientOfInput(grads, places, share, g, mutableElements<T>(ofInput) + channel * g.plane());
      }
      product(here, torch::stable::transpose(columns, 1, 2), ofWeightHere);
      const T* added = elements<T>(ofWeightHere);
      T* sum = mutableElements<T>(ofWeight);
      for (int64_t i = 0; i < ofWeight.numel(); i++) sum[i] += added[i];
    }
  });
  return {likeThat(ofInput, input), likeThat(ofWeight, input), likeThat(ofOffset, input), likeThat(ofMask, input),
          likeThat(ofBias, input)};
}

}  // namespace
}  // namespace pt2

STABLE_TORCH_LIBRARY_FRAGMENT(torchvision, m) {
  m.def(pt2::kDeformConv2d);
  m.def(pt2::kDeformConv2dBackward);
}

STABLE_TORCH_LIBRARY_IMPL(torchvision, CPU, m) {
  m.impl("deform_conv2d", TORCH_BOX(&pt2::deformConv2d));
  m.impl("_deform_conv2d_backward", TORCH_BOX(&pt2::deformConv2dBackward));
}
