#include "deformed.h"

namespace pt2 {
namespace {

int64_t resultSize(int64_t length, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation) {
  const int64_t room = length + 2 * pad - (dilation * (kernel - 1) + 1);
  return room < 0 ? 0 : room / stride + 1;
}

}  // namespace

Geometry geometryOf(const Tensor& input, const Tensor& weight, const Tensor& offset, const Tensor& mask,
                    const Tensor& bias, const Deformation& call) {
  STD_TORCH_CHECK(input.dim() == 4 && weight.dim() == 4 && offset.dim() == 4,
                  "deform_conv2d: input, weight and offset must have four dimensions");
  requireFloats("deform_conv2d", input);
  for (const Tensor* x : {&weight, &offset, &mask, &bias}) {
    STD_TORCH_CHECK(x->scalar_type() == input.scalar_type(), "deform_conv2d: all tensors must have one dtype");
  }
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  for (int d = 0; d < 2; d++) {
    STD_TORCH_CHECK(call.stride[d] > 0 && call.stride[d] <= kMost, "deform_conv2d: the stride must be positive");
    STD_TORCH_CHECK(call.pad[d] >= 0 && call.pad[d] <= kMost, "deform_conv2d: the padding must not be negative");
    STD_TORCH_CHECK(call.dilation[d] > 0 && call.dilation[d] <= kMost, "deform_conv2d: the dilation must be positive");
  }
  Geometry g = {};
  g.batch = input.size(0), g.channels = input.size(1), g.height = input.size(2), g.width = input.size(3);
  g.out = weight.size(0), g.kernel[0] = weight.size(2), g.kernel[1] = weight.size(3);
  STD_TORCH_CHECK(g.plane() < kMost && g.taps() < kMost, "deform_conv2d: a plane has too many elements");
  STD_TORCH_CHECK(call.groups > 0 && call.groups <= g.channels && weight.size(1) * call.groups == g.channels,
                  "deform_conv2d: the channels of input and weight do not fit");
  STD_TORCH_CHECK(g.out % call.groups == 0, "deform_conv2d: output channels must be a multiple of the groups");
  STD_TORCH_CHECK(call.offsetGroups > 0 && g.channels % call.offsetGroups == 0,
                  "deform_conv2d: channels must be a multiple of the offset groups");
  g.down = resultSize(g.height, g.kernel[0], call.stride[0], call.pad[0], call.dilation[0]);
  g.across = resultSize(g.width, g.kernel[1], call.stride[1], call.pad[1], call.dilation[1]);
  STD_TORCH_CHECK(g.down > 0 && g.across > 0 && g.taps() > 0, "deform_conv2d: the result would be empty");
  const int64_t groupTaps = call.offsetGroups * g.taps();
  requireSizes("deform_conv2d: offset", offset, {g.batch, 2 * groupTaps, g.down, g.across});
  if (call.useMask) requireSizes("deform_conv2d: mask", mask, {g.batch, groupTaps, g.down, g.across});
  requireSizes("deform_conv2d: bias", bias, {g.out});
  return g;
}

template <typename T>
Places<T>::Places(const Geometry& geometry, bool slopes) : slopes_(slopes) {
  const size_t count = static_cast<size_t>(geometry.places());
  for (std::vector<int32_t>& corner : corners) corner.resize(count);
  for (std::vector<T>* list : {&y, &x, &mask}) list->resize(count);
}

template <typename T>
void Places<T>::set(const T* offset, const T* given, const Geometry& geometry, const Deformation& call) {
  const int64_t pixels = geometry.pixels();
  torch::stable::parallel_for(0, geometry.taps(), 1, [&](int64_t first, int64_t last) {
    for (int64_t tap = first; tap < last; tap++) {
      const T *offsetY = offset + 2 * tap * pixels, *offsetX = offsetY + pixels;
      for (int64_t p = 0; p < pixels; p++) {
        const int64_t i = tap * pixels + p;
        const int64_t row = tapAt(p / geometry.across, tap / geometry.kernel[1], call, 0);
        const int64_t column = tapAt(p % geometry.across, tap % geometry.kernel[1], call, 1);
        const Place<T> place = placeOf(static_cast<T>(row) + offsetY[p], static_cast<T>(column) + offsetX[p],
                                       geometry.height, geometry.width, slopes_);
        mask[i] = given == nullptr ? 1 : given[i];
        y[i] = place.y;
        x[i] = place.x;
        for (int corner = 0; corner < 4; corner++) corners[corner][i] = place.corners[corner];
      }
    }
  });
}

template struct Places<float>;
template struct Places<double>;

}  // namespace pt2
