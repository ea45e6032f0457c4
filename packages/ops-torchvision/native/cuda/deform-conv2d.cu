// torchvision::deform_conv2d and its gradient on GPUs: what the taps read becomes a matrix for each picture, which
// PyTorch's own product multiplies by the weights, several pictures at a time.
#include <array>
#include <tuple>

#include "deformed-columns.h"
#include "elements.h"

namespace pt2 {
namespace {

Tensor viewed(const Tensor& x, std::initializer_list<int64_t> sizes) {
  const std::vector<int64_t> list(sizes);
  return torch::stable::view(x, list);
}

// A matrix for each of some pictures, without a copy.
Tensor forPictures(const Tensor& matrix, int64_t count) {
  const std::vector<int64_t> sizes = {count, matrix.size(0), matrix.size(1)};
  std::array<StableIValue, 3> stack{torch::stable::detail::from(matrix), torch::stable::detail::from(sizes),
                                    torch::stable::detail::from(false)};
  STABLE_TORCH_ERROR_CODE_CHECK(torch_call_dispatcher("aten::expand", "", stack.data(), TORCH_ABI_VERSION));
  return torch::stable::detail::to<Tensor>(stack[0]);
}

// a [B, M, K] times b [B, K, N] into `out` [B, M, N].
void multiply(const Tensor& a, const Tensor& b, const Tensor& out) {
  std::array<StableIValue, 3> stack{torch::stable::detail::from(a), torch::stable::detail::from(b),
                                    torch::stable::detail::from(out)};
  STABLE_TORCH_ERROR_CODE_CHECK(torch_call_dispatcher("aten::bmm", "out", stack.data(), TORCH_ABI_VERSION));
  torch::stable::detail::to<Tensor>(stack[0]);
}

// The group of channels in matrices [pictures, groups, …].
Tensor groupIn(const Tensor& x, int64_t group) { return torch::stable::select(x, 1, group); }

// How many pictures are computed at a time.
int64_t picturesAtATime(const Geometry& g, int64_t weights) {
  const int64_t each = std::max(g.channels * g.places(), weights);
  return std::max<int64_t>(1, std::min(g.batch, kNumbersAtATime / std::max<int64_t>(each, 1)));
}

template <typename Element>
struct AddBias {
  const Element* bias;
  int64_t channels, pixels;
  Element* out;

  PT2_DEVICE void operator()(int64_t row, int32_t pixel) const {
    using T = Wide<Element>;
    Element* at = out + row * pixels + pixel;
    *at = static_cast<Element>(static_cast<T>(*at) + static_cast<T>(bias[row % channels]));
  }
};

// Adds matrices [pictures, size] to one.
template <typename T>
struct AddPictures {
  const T* from;
  int64_t pictures, size;
  T* to;

  PT2_DEVICE void operator()(int64_t, int32_t i) const {
    for (int64_t n = 0; n < pictures; n++) to[i] += from[n * size + i];
  }
};

// Checks all tensors of a call, and that pixels can be counted by 32 bits.
Geometry geometryOnDevice(const char* op, const Tensor& input, const Tensor& weight, const Tensor& offset,
                          const Tensor& mask, const Tensor& bias, const Deformation& call) {
  const Geometry g = geometryOf(input, weight, offset, mask, bias, call);
  requireOneDevice(op, {&input, &weight, &offset, &mask, &bias});
  requirePlane(op, g.height, g.width);
  requirePlane(op, g.down, g.across);
  return g;
}

Tensor deformConv2dOnDevice(const Tensor& input, const Tensor& weight, const Tensor& offset, const Tensor& mask,
                            const Tensor& bias, int64_t stride_h, int64_t stride_w, int64_t pad_h, int64_t pad_w,
                            int64_t dilation_h, int64_t dilation_w, int64_t groups, int64_t offset_groups,
                            bool use_mask) {
  const Deformation call = {{stride_h, stride_w}, {pad_h, pad_w}, {dilation_h, dilation_w}, groups,
                            offset_groups,        use_mask};
  const Geometry g = geometryOnDevice("deform_conv2d", input, weight, offset, mask, bias, call);
  const Device device(input);
  using torch::stable::contiguous;
  const Tensor features = contiguous(input), offsets = contiguous(offset), masks = contiguous(mask);
  const Tensor biases = contiguous(bias);
  const ScalarType type = input.scalar_type();
  const int64_t rows = g.channels * g.taps() / groups, pixels = g.pixels(), made = g.out / groups;
  const Tensor weights = viewed(contiguous(weight), {groups, made, rows});
  Tensor out = empty(features, {g.batch, groups, made, pixels}, type);
  const int64_t most = picturesAtATime(g, 0);
  const Tensor columns = empty(features, {most, groups, rows, pixels}, type);
  withElement(features, [&](auto element) {
    using Element = decltype(element);
    const Deformed<Wide<Element>, Element> deformed = {g, call, elements<Element>(offsets),
                                                       use_mask ? elements<Element>(masks) : nullptr};
    for (int64_t first = 0; first < g.batch; first += most) {
      const int64_t count = std::min(most, g.batch - first);
      device.each(count * g.channels, pixels,
                  Columns<Wide<Element>, Element>{deformed, first, elements<Element>(features),
                                                  mutableElements<Element>(columns)});
      Tensor filled = columns;
      const Tensor here = torch::stable::narrow(filled, 0, 0, count);
      const Tensor to = torch::stable::narrow(out, 0, first, count);
      for (int64_t group = 0; group < groups; group++) {
        multiply(forPictures(torch::stable::select(weights, 0, group), count), groupIn(here, group),
                 groupIn(to, group));
      }
    }
    device.each(g.batch * g.out, pixels,
                AddBias<Element>{elements<Element>(biases), g.out, pixels, mutableElements<Element>(out)});
  });
  return viewed(out, {g.batch, g.out, g.down, g.across});
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> deformConv2dBackwardOnDevice(
    const Tensor& grad, const Tensor& input, const Tensor& weight, const Tensor& offset, const Tensor& mask,
    const Tensor& bias, int64_t stride_h, int64_t stride_w, int64_t pad_h, int64_t pad_w, int64_t dilation_h,
    int64_t dilation_w, int64_t groups, int64_t offset_groups, bool use_mask) {
  const Deformation call = {{stride_h, stride_w}, {pad_h, pad_w}, {dilation_h, dilation_w}, groups,
                            offset_groups,        use_mask};
  const Geometry g = geometryOnDevice("_deform_conv2d_backward", input, weight, offset, mask, bias, call);
  requireSizes("_deform_conv2d_backward: grad", grad, {g.batch, g.out, g.down, g.across});
  STD_TORCH_CHECK(grad.scalar_type() == input.scalar_type(), "_deform_conv2d_backward: grad has another dtype");
  requireOneDevice("_deform_conv2d_backward", {&input, &grad});
  const Device device(input);
  const Tensor features = wide(input), offsets = wide(offset), masks = wide(mask);
  const int64_t rows = g.channels * g.taps() / groups, pixels = g.pixels(), made = g.out / groups;
  const int64_t most = picturesAtATime(g, weight.numel());
  Tensor given = viewed(wide(grad), {g.batch, groups, made, pixels});
  const Tensor weights = viewed(wide(weight), {groups, made, rows});
  const Tensor transposed = torch::stable::transpose(weights, 1, 2);
  const ScalarType type = features.scalar_type();
  Tensor columns = empty(features, {most, groups, rows, pixels}, type);
  Tensor ofColumns = empty(features, {most, groups, rows, pixels}, type);
  Tensor ofWeights = empty(features, {most, groups, made, rows}, type);
  const Tensor ofInput = torch::stable::new_zeros(features, features.sizes(), type);
  const Tensor ofWeight = torch::stable::new_zeros(features, weight.sizes(), type);
  const Tensor ofOffset = torch::stable::new_zeros(features, offset.sizes(), type);
  const Tensor ofMask = torch::stable::new_zeros(features, mask.sizes(), type);
  const std::array<int64_t, 3> others = {0, 2, 3};
  const Tensor ofBias = torch::stable::sum(viewed(given, {g.batch, g.out, g.down, g.across}), others);
  withNumber(features, [&](auto number) {
    using T = decltype(number);
    const Deformed<T, T> deformed = {g, call, elements<T>(offsets), use_mask ? elements<T>(masks) : nullptr};
    const T* from = elements<T>(features);
    for (int64_t first = 0; first < g.batch; first += most) {
      const int64_t count = std::min(most, g.batch - first);
      const Tensor grads = torch::stable::narrow(given, 0, first, count);
      const Tensor read = torch::stable::narrow(columns, 0, 0, count);
      const Tensor ofRead = torch::stable::narrow(ofColumns, 0, 0, count);
      const Tensor ofEach = torch::stable::narrow(ofWeights, 0, 0, count);
      for (int64_t group = 0; group < groups; group++) {
        multiply(forPictures(torch::stable::select(transposed, 0, group), count), groupIn(grads, group),
                 groupIn(ofRead, group));
      }
      const T* gradsOfColumns = elements<T>(ofRead);
      device.each(count * offset_groups * g.taps(), pixels,
                  PlaceGradient<T>{deformed, first, from, gradsOfColumns, mutableElements<T>(ofOffset),
                                   use_mask ? mutableElements<T>(ofMask) : nullptr});
      device.each(count * g.channels, pixels,
                  InputGradient<T>{deformed, first, gradsOfColumns, mutableElements<T>(ofInput)});
      device.each(count * g.channels, pixels, Columns<T, T>{deformed, first, from, mutableElements<T>(read)});
      for (int64_t group = 0; group < groups; group++) {
        multiply(groupIn(grads, group), torch::stable::transpose(groupIn(read, group), 1, 2), groupIn(ofEach, group));
      }
      device.each(1, weight.numel(),
                  AddPictures<T>{elements<T>(ofEach), count, weight.numel(), mutableElements<T>(ofWeight)});
    }
  });
  return {likeThat(ofInput, input), likeThat(ofWeight, input), likeThat(ofOffset, input), likeThat(ofMask, input),
          likeThat(ofBias, input)};
}

}  // namespace
}  // namespace pt2

PT2_KERNELS(m) {
  m.impl("deform_conv2d", TORCH_BOX(&pt2::deformConv2dOnDevice));
  m.impl("_deform_conv2d_backward", TORCH_BOX(&pt2::deformConv2dBackwardOnDevice));
}
