// Convolves with 3×3 filters by Winograd's algorithm.
#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <memory>

#include "../table.h"
#include "check.h"
#include "images.h"
#include "in-place.h"
#include "ops.h"
#include "team.h"
#include "window.h"

namespace pt2 {

namespace {

constexpr const char* kOp = "winograd_conv2d";

/// The data between the three steps of one chunk should stay in the core's cache: half a megabyte.
constexpr int64_t kChunkFloats = int64_t{128} * 1024;

/// Returns the number of chunks of tiles. Every chunk reads all weights, so large weights need larger chunks.
int64_t count_chunks(const Winograd& w) {
  const int64_t floats = w.input_floats(w.tiles()) + w.product_floats(w.tiles());
  const int64_t weights = w.products() * w.shape.panel * w.channels;
  const int64_t chunk = std::max(kChunkFloats, weights / 4);
  return std::clamp<int64_t>((floats + chunk - 1) / chunk, 1, w.tiles());
}

struct Workspace {
  Workspace(const Winograd& w, int64_t tiles)
      : input(new float[static_cast<size_t>(w.input_floats(tiles))]),
        product(new float[static_cast<size_t>(w.product_floats(tiles))]) {}

  std::unique_ptr<float[]> input, product;
};

/// Each thread computes all three steps of whole chunks.
void run_chunks(const Winograd& w, int64_t chunks) {
  const Kernels& k = kernels();
  const int64_t tiles = w.tiles();
  share(chunks, 1, [&](Pieces& pieces) {
    const Workspace space(w, (tiles + chunks - 1) / chunks);
    for (Piece piece; pieces.next(piece);) {
      for (int64_t i = piece.begin; i < piece.end; ++i) {
        const int64_t first = tiles * i / chunks;
        const WinogradChunk chunk{first, tiles * (i + 1) / chunks - first, space.input.get(), space.product.get()};
        k.winograd_input(w, chunk, 0, chunk.count);
        k.winograd_products(w, chunk, 0, w.products());
        k.winograd_output(w, chunk, 0, chunk.count);
      }
    }
  });
}

/// The threads share each step of one chunk.
void run_steps(const Winograd& w) {
  const Kernels& k = kernels();
  const Workspace space(w, w.tiles());
  const WinogradChunk chunk{0, w.tiles(), space.input.get(), space.product.get()};
  shareRanges(chunk.count, 1, [&](int64_t begin, int64_t end) { k.winograd_input(w, chunk, begin, end); });
  shareRanges(w.products(), 1, [&](int64_t begin, int64_t end) { k.winograd_products(w, chunk, begin, end); });
  shareRanges(chunk.count, 1, [&](int64_t begin, int64_t end) { k.winograd_output(w, chunk, begin, end); });
}

}  // namespace

at::Tensor pack_winograd_weight(const at::Tensor& weight) {
  check_float(weight, "pack_winograd_weight", "weight");
  TORCH_CHECK(weight.dim() == 4 && weight.size(2) == 3 && weight.size(3) == 3,
              "pt2::pack_winograd_weight: weight must have shape [out, in, 3, 3], got ", weight.sizes());
  const Kernels& k = kernels();
  const at::Tensor filters = weight.contiguous();
  WinogradPanels p{
      .from = nullptr,
      .columns = weight.size(0),
      .inner = weight.size(1),
      .to = nullptr,
      .panel = k.gemm_shape(weight.size(0)).panel,
  };
  const at::Tensor packed = at::empty({kWinogradPoints, p.count(), p.inner, p.panel}, weight.options());
  if (packed.numel() == 0) return packed;
  p.from = filters.const_data_ptr<float>();
  p.to = packed.mutable_data_ptr<float>();
  const int64_t grain = std::max<int64_t>(1, kPackedPerThread / (kWinogradPoints * p.inner * p.panel));
  shareRanges(p.count(), grain, [&](int64_t begin, int64_t end) { k.pack_winograd_panels(p, begin, end); });
  return packed;
}

at::Tensor winograd_conv2d(const at::Tensor& x, const at::Tensor& packed, int64_t out_channels,
                           const std::optional<at::Tensor>& bias, const std::optional<at::Tensor>& residual,
                           at::IntArrayRef padding, std::string attr, OptionalScalars scalars,
                           std::optional<std::string> algorithm) {
  constexpr at::MemoryFormat kFormat = at::MemoryFormat::ChannelsLast;
  const Kernels& k = kernels();
  check_float(x, kOp, "x");
  check_float(packed, kOp, "weight");
  TORCH_CHECK(x.dim() == 4 && out_channels > 0, "pt2::", kOp,
              ": x must have four dimensions and out_channels be positive");
  const int64_t panel = k.gemm_shape(out_channels).panel;
  TORCH_CHECK(packed.dim() == 4 && packed.is_contiguous() && packed.size(0) == kWinogradPoints &&
                  packed.size(1) == (out_channels + panel - 1) / panel && packed.size(2) == x.size(1) &&
                  packed.size(3) == panel,
              "pt2::", kOp, ": weight must come from pt2::pack_winograd_weight for [", out_channels, ", ", x.size(1),
              ", 3, 3], got ", packed.sizes());
  check_pair(padding, 0, kOp, "padding");
  const Pixels input = pixels_of(x);
  const at::Tensor offset = optional_vector(bias, out_channels, kOp, "bias");
  const at::Tensor out =
      take_or_empty(residual,
                    {x.size(0), out_channels, window_count(x.size(2), 3, 1, padding[0], 1, false, kOp),
                     window_count(x.size(3), 3, 1, padding[1], 1, false, kOp)},
                    x.options(), kFormat);
  const at::Tensor added = optional_like(residual, out, kFormat, kOp, "residual");
  const Winograd w{
      .x = input.data(),
      .packed = packed.const_data_ptr<float>(),
      .bias = data_or_null(offset),
      .residual = data_or_null(added),
      .out = out.numel() == 0 ? nullptr : out.mutable_data_ptr<float>(),
      .batch = x.size(0),
      .channels = x.size(1),
      .height = x.size(2),
      .width = x.size(3),
      .out_channels = out_channels,
      .out_height = out.size(2),
      .out_width = out.size(3),
      .pad_h = padding[0],
      .pad_w = padding[1],
      .pitch = input.pitch,
      .shape = k.gemm_shape(out_channels),
      .activation = parse_activation(attr, scalars, algorithm),
  };
  if (out.numel() == 0) return out;
  const int64_t chunks = count_chunks(w);
  if (chunks >= at::get_num_threads()) {
    run_chunks(w, chunks);
  } else {
    run_steps(w);
  }
  return out;
}

}  // namespace pt2
