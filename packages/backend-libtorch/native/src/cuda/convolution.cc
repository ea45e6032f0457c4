// Convolutions by cuDNN, and of each channel by itself by a kernel of this package.
#ifdef PT2_CUDA

#include <ATen/Context.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/cudnn_convolution.h>
#include <ATen/ops/cudnn_convolution_add_relu.h>
#include <ATen/ops/cudnn_convolution_relu.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAGuard.h>

#include <array>

#include "cuda/activation.h"
#include "cuda/check.h"
#include "cuda/epilogue.h"
#include "cuda/jit.h"
#include "cuda/ops.h"
#include "kernels/ops/images.h"
#include "kernels/ops/window.h"

namespace pt2::cuda {
namespace {

constexpr at::MemoryFormat kFormat = at::MemoryFormat::ChannelsLast;

// [batch, channels, width] as [batch, channels, 1, width]; an image is itself.
at::Tensor asImage(const at::Tensor& x, const char* op) {
  checkFloat(x, op, "x");
  TORCH_CHECK(x.dim() == 3 || x.dim() == 4, "pt2::", op, ": x must have three or four dimensions, got ", x.sizes());
  return x.dim() == 3 ? x.unsqueeze(2) : x;
}

struct Window {
  at::IntArrayRef padding, stride, dilation;
  int64_t groups;
};

// conv(x), channels-last, as the process's switches say.
at::Tensor convolved(const at::Tensor& x, const at::Tensor& weight, const Window& window) {
  const at::Context& context = at::globalContext();
  return at::cudnn_convolution(
             x, weight, window.padding, window.stride, window.dilation, window.groups, context.benchmarkCuDNN(),
             context.deterministicCuDNN() || context.deterministicAlgorithms(), context.allowTF32CuDNN())
      .contiguous(kFormat);
}

// relu(conv(x) + bias + residual) as one kernel of cuDNN; undefined where it has none.
at::Tensor fused(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, const at::Tensor& residual,
                 const Window& window) {
  const auto [padding, stride, dilation, groups] = window;
  const std::optional<at::Tensor> offset = bias.defined() ? std::optional(bias) : std::nullopt;
  try {
    if (!residual.defined()) return at::cudnn_convolution_relu(x, weight, offset, stride, padding, dilation, groups);
    return at::cudnn_convolution_add_relu(x, weight, residual, 1.0, offset, stride, padding, dilation, groups);
  } catch (const c10::OutOfMemoryError&) {
    throw;
  } catch (const c10::Error&) {
    return {};
  }
}

}  // namespace

at::Tensor pack_conv_weight(const at::Tensor& weight, int64_t groups, std::optional<int64_t>) {
  checkFloat(weight, "pack_conv_weight", "weight");
  TORCH_CHECK(weight.dim() == 2 && groups > 0 && weight.size(0) % groups == 0,
              "pt2::pack_conv_weight: weight must have shape [out, in], and out be a multiple of ", groups, ", got ",
              weight.sizes());
  return weight.contiguous();
}

at::Tensor direct_conv2d(const at::Tensor& sequence_or_image, const at::Tensor& weight, int64_t out_channels,
                         at::IntArrayRef kernel, const std::optional<at::Tensor>& bias,
                         const std::optional<at::Tensor>& residual, at::IntArrayRef stride, at::IntArrayRef padding,
                         at::IntArrayRef dilation, int64_t groups, std::string attr, OptionalScalars scalars,
                         std::optional<std::string> algorithm) {
  constexpr const char* kOp = "direct_conv2d";
  const at::Tensor given = asImage(sequence_or_image, kOp);
  TORCH_CHECK(out_channels > 0 && groups > 0 && out_channels % groups == 0 && given.size(1) % groups == 0, "pt2::", kOp,
              ": groups must divide the channels, got ", groups, " for ", given.size(1), " and ", out_channels);
  check_pair(kernel, 1, kOp, "kernel");
  check_pair(stride, 1, kOp, "stride");
  check_pair(dilation, 1, kOp, "dilation");
  const auto [top, left, bottom, right] = sides_of(padding, kOp);
  const int64_t channels = given.size(1) / groups;
  checkFloat(weight, kOp, "weight");
  TORCH_CHECK(weight.dim() == 2 && weight.is_contiguous() && weight.size(0) == out_channels &&
                  weight.size(1) == kernel[0] * kernel[1] * channels && weight.device() == given.device(),
              "pt2::", kOp, ": weight must come from pt2::pack_conv_weight for [", out_channels, ", ",
              kernel[0] * kernel[1] * channels, "], got ", weight.sizes());
  const c10::cuda::CUDAGuard guard(given.device());
  const bool even = top == bottom && left == right;
  const at::Tensor padded = even ? given : at::constant_pad_nd(given, {left, right, top, bottom});
  const at::Tensor x = padded.contiguous(kFormat);
  const at::Tensor filters = weight.view({out_channels, kernel[0], kernel[1], channels}).permute({0, 3, 1, 2});
  const std::array<int64_t, 2> around{even ? top : 0, even ? left : 0};
  const Window window{around, stride, dilation, groups};
  const at::DimVector sizes{x.size(0), out_channels,
                            window_count(x.size(2), kernel[0], stride[0], around[0], dilation[0], false, kOp),
                            window_count(x.size(3), kernel[1], stride[1], around[1], dilation[1], false, kOp)};
  const Activation activation = parse_activation(attr, scalars, algorithm);
  const at::Tensor offset = optionalVector(bias, out_channels, x, kOp, "bias");
  at::Tensor other;
  if (residual.has_value() && residual->defined()) {
    other = asImage(*residual, kOp);
    TORCH_CHECK(other.sizes() == sizes && other.device() == x.device(), "pt2::", kOp,
                ": residual must have the shape of the result, [", sizes, "], got ", other.sizes());
    other = other.contiguous(kFormat);
  }
  if (x.numel() == 0 || c10::multiply_integers(sizes) == 0) {
    const at::Tensor out = at::empty(sizes, x.options().memory_format(kFormat)).zero_();
    applyEpilogue(out, out_channels, offset, other, activation);
    return like_given(out, sequence_or_image);
  }
  const bool is_relu = attr == "relu";
  at::Tensor out = is_relu ? fused(x, filters, offset, other, window) : at::Tensor();
  if (!out.defined()) {
    out = convolved(x, filters, window);
    applyEpilogue(out, out_channels, offset, other, activation);
  }
  return like_given(out, sequence_or_image);
}

namespace {

// Each thread computes columns side by side, for LANES channels: each pixel that it loads is used by several of them.
constexpr const char* kDepthwise = R"(
struct Shape { unsigned channels, height, width, out_height, out_width, strips; unsigned long long count; };
extern "C" __global__ void kernel(const T* x, const T* weight, const T* bias, T* out, Shape s, float a, float b) {
  const unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
  for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < s.count; i += step) {
    const unsigned c = i % s.channels;
    unsigned long long rest = i / s.channels;
    const int first = (int)(rest % s.strips) * COLUMNS;
    rest /= s.strips;
    const int row = (int)(rest % s.out_height);
    const unsigned long long image = rest / s.out_height;
    float sums[COLUMNS][LANES];
    for (int t = 0; t < COLUMNS; ++t)
      for (int j = 0; j < LANES; ++j) sums[t][j] = 0.0f;
    if (BIAS) {
      const T add = bias[c];
      for (int t = 0; t < COLUMNS; ++t)
        for (int j = 0; j < LANES; ++j) sums[t][j] = ((const float*)&add)[j];
    }
    #pragma unroll
    for (int ky = 0; ky < KERNEL_H; ++ky) {
      const int y = row * STRIDE_H - PAD_H + ky * DILATION_H;
      if (y < 0 || y >= (int)s.height) continue;
      const T* pixels = x + (image * s.height + y) * s.width * s.channels + c;
      T taps[KERNEL_W];
      #pragma unroll
      for (int kx = 0; kx < KERNEL_W; ++kx) taps[kx] = weight[(ky * KERNEL_W + kx) * s.channels + c];
      #pragma unroll
      for (int p = 0; p < (COLUMNS - 1) * STRIDE_W + (KERNEL_W - 1) * DILATION_W + 1; ++p) {
        const int column = first * STRIDE_W - PAD_W + p;
        if (column < 0 || column >= (int)s.width) continue;
        const T pixel = pixels[(unsigned long long)column * s.channels];
        #pragma unroll
        for (int t = 0; t < COLUMNS; ++t) {
          #pragma unroll
          for (int kx = 0; kx < KERNEL_W; ++kx) {
            if (t * STRIDE_W + kx * DILATION_W != p) continue;
            #pragma unroll
            for (int j = 0; j < LANES; ++j) sums[t][j] += ((const float*)&pixel)[j] * ((const float*)&taps[kx])[j];
          }
        }
      }
    }
    #pragma unroll
    for (int t = 0; t < COLUMNS; ++t) {
      if (first + t >= (int)s.out_width) break;
      T value;
      for (int j = 0; j < LANES; ++j) ((float*)&value)[j] = activate(sums[t][j], a, b);
      out[((image * s.out_height + row) * s.out_width + first + t) * s.channels + c] = value;
    }
  }
}
)";

struct DepthwiseShape {
  uint32_t channels, height, width, out_height, out_width, strips;
  uint64_t count;
};

// The taps of the largest kernel whose loops are unrolled.
constexpr int64_t kMostTaps = 121;

std::string define(const char* name, int64_t value) {
  return std::string("#define ") + name + " " + std::to_string(value) + "\n";
}

}  // namespace

at::Tensor pack_depthwise_weight(const at::Tensor& weight) {
  checkFloat(weight, "pack_depthwise_weight", "weight");
  TORCH_CHECK(weight.dim() == 4 && weight.size(1) == 1,
              "pt2::pack_depthwise_weight: weight must have shape [channels, 1, height, width], got ", weight.sizes());
  return weight.squeeze(1).permute({1, 2, 0}).contiguous();
}

at::Tensor depthwise_conv2d(const at::Tensor& sequence_or_image, const at::Tensor& weight,
                            const std::optional<at::Tensor>& bias, at::IntArrayRef stride, at::IntArrayRef padding,
                            at::IntArrayRef dilation, std::string attr, OptionalScalars scalars,
                            std::optional<std::string> algorithm) {
  constexpr const char* kOp = "depthwise_conv2d";
  const at::Tensor image = asImage(sequence_or_image, kOp);
  checkFloat(weight, kOp, "weight");
  const int64_t channels = image.size(1);
  TORCH_CHECK(weight.dim() == 3 && weight.is_contiguous() && weight.size(0) > 0 && weight.size(1) > 0 &&
                  weight.size(2) == channels && channels > 0 && weight.device() == image.device(),
              "pt2::", kOp, ": weight must come from pt2::pack_depthwise_weight for ", channels, " channels, got ",
              weight.sizes());
  check_pair(stride, 1, kOp, "stride");
  check_pair(padding, 0, kOp, "padding");
  check_pair(dilation, 1, kOp, "dilation");
  const c10::cuda::CUDAGuard guard(image.device());
  const at::Tensor x = image.contiguous(kFormat);
  const int64_t kernel_h = weight.size(0), kernel_w = weight.size(1);
  const int64_t out_height = window_count(x.size(2), kernel_h, stride[0], padding[0], dilation[0], false, kOp);
  const int64_t out_width = window_count(x.size(3), kernel_w, stride[1], padding[1], dilation[1], false, kOp);
  const at::Tensor offset = optionalVector(bias, channels, x, kOp, "bias");
  const Activation activation = parse_activation(attr, scalars, algorithm);
  at::Tensor out = at::empty({x.size(0), channels, out_height, out_width}, x.options().memory_format(kFormat));
  if (out.numel() == 0) return like_given(out, sequence_or_image);
  if (kernel_h * kernel_w > kMostTaps) {
    out = convolved(x, weight.permute({2, 0, 1}).unsqueeze(1), {padding, stride, dilation, channels});
    applyEpilogue(out, channels, offset, {}, activation);
    return like_given(out, sequence_or_image);
  }
  const float* const from = x.const_data_ptr<float>();
  const float* const taps = weight.const_data_ptr<float>();
  const float* const add = offset.defined() ? offset.const_data_ptr<float>() : nullptr;
  float* const to = out.mutable_data_ptr<float>();
  const bool wide = channels % 4 == 0 && isAligned(from) && isAligned(taps) && isAligned(add) && isAligned(to);
  const int64_t lanes = wide ? 4 : 1;
  // Few results are computed by as many threads as there are; of many, each thread computes some that share pixels.
  const uint64_t held = threadsHeld();
  int64_t columns = 1;
  while (columns < 8 && columns * 2 <= out_width &&
         static_cast<uint64_t>(out.numel() / lanes / (columns * 2)) >= held / 2) {
    columns *= 2;
  }
  std::string head = activationSource(activation.kind);
  head += wide ? "#define T float4\n#define LANES 4\n" : "#define T float\n#define LANES 1\n";
  head += define("BIAS", offset.defined() ? 1 : 0) + define("COLUMNS", columns);
  head += define("KERNEL_H", kernel_h) + define("KERNEL_W", kernel_w);
  head += define("STRIDE_H", stride[0]) + define("STRIDE_W", stride[1]);
  head += define("PAD_H", padding[0]) + define("PAD_W", padding[1]);
  head += define("DILATION_H", dilation[0]) + define("DILATION_W", dilation[1]);
  const int64_t strips = (out_width + columns - 1) / columns;
  const DepthwiseShape shape{
      .channels = static_cast<uint32_t>(channels / lanes),
      .height = static_cast<uint32_t>(x.size(2)),
      .width = static_cast<uint32_t>(x.size(3)),
      .out_height = static_cast<uint32_t>(out_height),
      .out_width = static_cast<uint32_t>(out_width),
      .strips = static_cast<uint32_t>(strips),
      .count = static_cast<uint64_t>(x.size(0) * out_height * strips * (channels / lanes)),
  };
  const CUfunction compiled = kernelOf("depthwise\n" + head, [&] { return head + kDepthwise; });
  launch(compiled, shape.count, {&from, &taps, &add, &to, &shape, &activation.a, &activation.b});
  return like_given(out, sequence_or_image);
}

}  // namespace pt2::cuda

#endif
