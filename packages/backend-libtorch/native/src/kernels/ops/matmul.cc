// Multiplies matrices that no load has packed: each call packs the right sides itself.
#include <ATen/ExpandUtils.h>
#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/matmul.h>

#include <memory>

#include "../table.h"
#include "check.h"
#include "in-place.h"
#include "ops.h"
#include "team.h"

namespace pt2 {

namespace {

constexpr const char* kOp = "matmul";

/// A thread gets at least this many multiply-adds.
constexpr int64_t kWorkPerThread = int64_t{128} * 1024;

/// The fewest rows that pay for packing.
constexpr int64_t kLeastRows = 4;

/// Register tiles of rows that a packed panel is multiplied with at most before the next: enough for packing to take
/// little of the time, and few enough that the rows of small products are shared among threads.
constexpr int64_t kTilesAtOnce = 16;

/// Where a matrix of a batch begins.
const float* matrix_of(const at::Tensor& batch, int64_t index) {
  const float* at = batch.const_data_ptr<float>();
  for (int64_t d = batch.dim() - 3; d >= 0; --d) {
    at += index % batch.size(d) * batch.stride(d);
    index /= batch.size(d);
  }
  return at;
}

/// The products of a batch, of which each piece packs what it needs. A piece is some rows times some panels: all of
/// them where they stay in the second-level cache, and one otherwise. What a piece is depends on sizes alone, so that
/// sums are the same for any number of threads.
struct Products {
  at::Tensor left, right;  // with the batch dimensions of the result; strides of zero where one is that of several
  Gemm any;                // one of the products, without its memory
  const float* residual;
  float* out;

  int64_t panels_at_once() const {
    return any.panels() * any.shape.panel * any.inner <= kGemmCached ? any.panels() : 1;
  }
  int64_t rows_at_once() const {
    const int64_t cached = kGemmCached / std::max<int64_t>(1, any.depth()) / any.shape.rows;
    return std::clamp<int64_t>(cached, 1, kTilesAtOnce) * any.shape.rows;
  }
  int64_t row_pieces() const { return (any.rows + rows_at_once() - 1) / rows_at_once(); }
  int64_t panel_pieces() const { return (any.panels() + panels_at_once() - 1) / panels_at_once(); }
  int64_t packed_floats() const { return panels_at_once() * any.shape.panel * any.inner; }

  /// Packs some columns of a right side.
  void pack(const float* from, int64_t columns, float* to) const {
    const Panels p{
        .from = from,
        .columns = columns,
        .inner = any.inner,
        .column_stride = right.stride(-1),
        .inner_stride = right.stride(-2),
        .to = to,
        .panel = any.shape.panel,
    };
    kernels().pack_panels(p, 0, p.count());
  }
};

/// Panels that a thread has packed: those of a matrix from a column on. Where matrices overlap, the first element alone
/// does not tell.
struct Packed {
  float* panels;  // `packed_floats()` of them
  const float* matrix = nullptr;
  int64_t column = 0;
};

/// Pieces [begin, end), those of the same rows one after the other.
void multiply(const Products& t, Piece piece, Packed& packed) {
  const int64_t row_pieces = t.row_pieces(), panel_pieces = t.panel_pieces();
  const int64_t width = t.panels_at_once() * t.any.shape.panel, height = t.rows_at_once();
  for (int64_t i = piece.begin; i < piece.end; ++i) {
    const int64_t column = i % panel_pieces * width;
    const int64_t row = i / panel_pieces % row_pieces * height;
    const int64_t index = i / (panel_pieces * row_pieces);
    const int64_t columns = std::min(width, t.any.columns - column);
    const float* right = matrix_of(t.right, index);
    if (packed.matrix != right || packed.column != column) {
      t.pack(right + column * t.right.stride(-1), columns, packed.panels);
      packed.matrix = right;
      packed.column = column;
    }
    const int64_t at = (index * t.any.rows + row) * t.any.out_pitch + column;
    Gemm g = t.any;
    g.a = matrix_of(t.left, index) + row * t.any.pitch;
    g.packed = packed.panels;
    g.bias = g.bias ? g.bias + column : nullptr;
    g.residual = t.residual ? t.residual + at : nullptr;
    g.out = t.out + at;
    g.rows = std::min(height, t.any.rows - row);
    g.columns = columns;
    GemmCopy none{nullptr};
    kernels().gemm(g, 0, g.tiles(), none);
  }
}

/// `x` with the elements of a row side by side, and rows that do not push each other out of the cache.
at::Tensor readable_rows(const at::Tensor& x, const GemmShape& shape) {
  const int64_t rows = x.size(-2), inner = x.size(-1);
  const bool crowds = crowd(std::min(rows, shape.rows), x.stride(-2));
  if (inner <= 1 || (x.stride(-1) == 1 && !crowds)) return x;
  const int64_t lanes = kernels().lanes;
  int64_t pitch = (inner + lanes - 1) / lanes * lanes;
  if (crowd(std::min(rows, shape.rows), pitch)) pitch += kLineFloats;
  at::DimVector sizes(x.sizes());
  sizes.back() = pitch;
  const at::Tensor copied = at::empty(sizes, x.options().memory_format(at::MemoryFormat::Contiguous));
  float* to = copied.mutable_data_ptr<float>();
  const int64_t count = copied.numel() / std::max<int64_t>(1, rows * pitch);
  shareRanges(count * rows, std::max<int64_t>(1, kPackedPerThread / pitch), [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t index = begin / rows, row = begin % rows, past = std::min(rows, row + end - begin);
      // A panel as wide as a row is one row after the other.
      const Panels p{
          .from = matrix_of(x, index) + row * x.stride(-2),
          .columns = inner,
          .inner = past - row,
          .column_stride = x.stride(-1),
          .inner_stride = x.stride(-2),
          .to = to + begin * pitch,
          .panel = pitch,
      };
      kernels().pack_panels(p, 0, 1);
      begin += past - row;
    }
  });
  return copied.narrow(-1, 0, inner);
}

at::IntArrayRef batch_of(const at::Tensor& t) { return t.sizes().slice(0, static_cast<size_t>(t.dim()) - 2); }

at::Tensor expand_batch(const at::Tensor& t, at::IntArrayRef batch) {
  at::DimVector sizes(batch);
  sizes.append({t.size(-2), t.size(-1)});
  return t.expand(sizes);
}

at::Tensor multiply_few(const at::Tensor& x, const at::Tensor& other, const std::optional<at::Tensor>& residual) {
  const at::Tensor product = at::matmul(x, other).contiguous();
  return residual.has_value() && residual->defined() ? at::add(product, *residual) : product;
}

}  // namespace

at::Tensor matmul(const at::Tensor& x, const at::Tensor& other, const std::optional<at::Tensor>& bias,
                  const std::optional<at::Tensor>& residual, std::string attr, OptionalScalars scalars,
                  std::optional<std::string> algorithm) {
  check_float(x, kOp, "x");
  check_float(other, kOp, "other");
  TORCH_CHECK(x.dim() >= 2 && other.dim() >= 2 && x.size(-1) == other.size(-2), "pt2::", kOp,
              ": x and other must be matrices or batches of them that fit, got ", x.sizes(), " and ", other.sizes());
  const Activation activation = parse_activation(attr, scalars, algorithm);
  if (x.size(-2) < kLeastRows && x.size(-1) > 0) {
    const at::Tensor sum = multiply_few(x, other, residual);
    const bool biased = bias.has_value() && bias->defined();
    if (!biased && activation.kind == ActivationKind::kNone) return sum;
    // Of a product with nothing on the inside the rest is left.
    return matmul(x.narrow(-1, 0, 0), other.narrow(-2, 0, 0), bias, sum, attr, scalars, algorithm);
  }
  at::DimVector batch = at::infer_size_dimvector(batch_of(x), batch_of(other));
  at::DimVector sizes(batch);
  const int64_t inner = x.size(-1), columns = other.size(-1);
  sizes.append({x.size(-2), columns});
  const at::Tensor out = product_or_empty(inner, residual, sizes, x.options(), at::MemoryFormat::Contiguous);
  const at::Tensor offset = optional_vector(bias, columns, kOp, "bias");
  const at::Tensor added = optional_like(residual, out, at::MemoryFormat::Contiguous, kOp, "residual");
  if (out.numel() == 0) return out;
  const GemmShape shape = kernels().gemm_shape(columns);
  at::Tensor left = x, right = other;
  // What all are multiplied by is multiplied once, with the rows of all.
  if (other.numel() == inner * columns) {
    batch.clear();
    left = x.reshape({out.numel() / columns, inner});
    right = other.reshape({inner, columns});
  }
  left = expand_batch(readable_rows(left, shape), batch);
  Products t{
      .left = left,
      .right = expand_batch(right, batch),
      .any = {.a = nullptr,
              .packed = nullptr,
              .bias = data_or_null(offset),
              .residual = nullptr,
              .out = nullptr,
              .rows = left.size(-2),
              .inner = inner,
              .columns = columns,
              .pitch = left.stride(-2),
              .out_pitch = columns,
              .shape = shape,
              .activation = activation},
      .residual = data_or_null(added),
      .out = out.mutable_data_ptr<float>(),
  };
  const int64_t pieces = t.row_pieces() * t.panel_pieces() * (out.numel() / (left.size(-2) * columns));
  const int64_t work = std::max<int64_t>(1, t.any.rows * inner * columns / (t.row_pieces() * t.panel_pieces()));
  share(pieces, std::max<int64_t>(1, kWorkPerThread / work), [&](Pieces& taken) {
    const std::unique_ptr<float[]> packed(new float[static_cast<size_t>(t.packed_floats())]);
    Packed there{packed.get()};
    for (Piece piece; taken.next(piece);) multiply(t, piece, there);
  });
  return out;
}

}  // namespace pt2
