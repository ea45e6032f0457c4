// Computes attention over blocks of keys, without the matrix of scores.
#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <cmath>
#include <limits>
#include <memory>

#include "../table.h"
#include "check.h"
#include "ops.h"
#include "team.h"

namespace pt2 {

namespace {

constexpr const char* kOp = "attention";

/// A thread gets at least this many multiply-adds.
constexpr int64_t kWorkPerThread = int64_t{128} * 1024;

/// `t` with a contiguous last dimension, which is what the loops read.
at::Tensor contiguous_rows(const at::Tensor& t) { return t.size(-1) <= 1 || t.stride(-1) == 1 ? t : t.contiguous(); }

AttentionTensor view_of(const at::Tensor& t) { return {t.const_data_ptr(), t.stride(0), t.stride(1), t.stride(2)}; }

/// The type of keys and values.
AttentionType type_of(const at::Tensor& k, const at::Tensor& v) {
  const at::ScalarType type = k.scalar_type();
  const auto is_read = [type](const at::Tensor& t) {
    return t.defined() && t.device().is_cpu() && t.layout() == at::kStrided && t.scalar_type() == type;
  };
  TORCH_CHECK(is_read(k) && is_read(v) && (type == at::kFloat || type == at::kHalf || type == at::kBFloat16),
              "pt2::", kOp, ": k and v must be strided tensors of float32, float16 or bfloat16 on the CPU, got ",
              k.toString(), " and ", v.toString());
  if (type == at::kFloat) return AttentionType::kFloat32;
  return type == at::kHalf ? AttentionType::kFloat16 : AttentionType::kBFloat16;
}

/// A boolean mask (true: may be seen) as numbers to add, in its own shape, before it is broadcast.
at::Tensor additive(const at::Tensor& mask) {
  const at::Tensor dense = mask.contiguous();
  const at::Tensor out = at::empty(dense.sizes(), dense.options().dtype(at::kFloat));
  const bool* from = dense.const_data_ptr<bool>();
  float* to = out.mutable_data_ptr<float>();
  for (int64_t i = 0; i < dense.numel(); ++i) to[i] = from[i] ? 0.0f : -std::numeric_limits<float>::infinity();
  return out;
}

at::Tensor expand_mask(const std::optional<at::Tensor>& mask, at::IntArrayRef sizes) {
  if (!mask.has_value() || !mask->defined()) return {};
  const bool boolean = mask->scalar_type() == at::kBool;
  TORCH_CHECK(
      mask->device().is_cpu() && mask->layout() == at::kStrided && (boolean || mask->scalar_type() == at::kFloat),
      "pt2::", kOp, ": mask must be a strided bool or float32 tensor on the CPU, got ", mask->toString());
  return contiguous_rows((boolean ? additive(*mask) : *mask).expand(sizes));
}

/// One query of each head: those of all heads that share keys become queries of one.
void merge_heads(Attention& t) {
  const auto merge = [&](auto& view) {
    view.row = view.head;
    view.head *= t.sharing;
  };
  merge(t.q);
  merge(t.mask);
  merge(t.out);
  t.rows = t.sharing;
  t.heads /= t.sharing;
  t.sharing = 1;
}

}  // namespace

/// Several heads of queries may share one of keys and values.
at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                     const std::optional<at::Tensor>& mask, bool is_causal, std::optional<double> scale,
                     bool safe_softmax, bool mask_fills) {
  check_float(q, kOp, "q");
  const AttentionType type = type_of(k, v);
  TORCH_CHECK(q.dim() == 4 && k.dim() == 4 && v.dim() == 4, "pt2::", kOp,
              ": q, k and v must have four dimensions, got ", q.sizes(), ", ", k.sizes(), ", ", v.sizes());
  TORCH_CHECK(k.size(0) == q.size(0) && (k.size(1) == q.size(1) || (k.size(1) > 0 && q.size(1) % k.size(1) == 0)) &&
                  k.size(3) == q.size(3) && v.size(0) == q.size(0) && v.size(1) == k.size(1) && v.size(2) == k.size(2),
              "pt2::", kOp, ": shapes do not fit: ", q.sizes(), ", ", k.sizes(), ", ", v.sizes());
  const at::Tensor added = expand_mask(mask, {q.size(0), q.size(1), q.size(2), k.size(2)});
  const at::Tensor queries = contiguous_rows(q), keys = contiguous_rows(k), values = contiguous_rows(v);
  const at::Tensor out =
      at::empty({q.size(0), q.size(2), q.size(1), v.size(3)}, q.options().memory_format(at::MemoryFormat::Contiguous));
  if (out.numel() == 0) return out.transpose(1, 2);
  if (k.size(2) == 0) return out.zero_().transpose(1, 2);

  const Kernels& kernel = kernels();
  const int64_t threads = at::get_num_threads();
  const GemmShape shape = kernel.gemm_shape(v.size(3));
  Attention t{
      .q = view_of(queries),
      .k = view_of(keys),
      .v = view_of(values),
      .mask = added.defined() ? view_of(added) : AttentionTensor{},
      .out = {out.mutable_data_ptr<float>(), out.stride(0), out.stride(2), out.stride(1)},
      .batch = q.size(0),
      .heads = q.size(1),
      .sharing = q.size(1) / k.size(1),
      .rows = q.size(2),
      .keys = k.size(2),
      .width = q.size(3),
      .value_width = v.size(3),
      .causal = is_causal,
      .safe = safe_softmax,
      .fills = mask_fills,
      .scale = static_cast<float>(scale.value_or(1.0 / std::sqrt(static_cast<double>(q.size(3))))),
      .type = type,
      .shape = shape,
      .parts = 1,
  };
  if (t.rows == 1 && !t.causal) merge_heads(t);
  const int64_t heads = t.batch * t.heads;
  t.parts = std::clamp<int64_t>((threads + heads - 1) / heads, 1, std::max<int64_t>(1, t.rows / shape.rows));
  const int64_t work = std::max<int64_t>(1, t.rows / t.parts * t.keys * (t.width + t.value_width));
  share(t.items(), std::max<int64_t>(1, kWorkPerThread / work), [&](Pieces& pieces) {
    const std::unique_ptr<float[]> scratch(new float[static_cast<size_t>(t.scratch_floats())]);
    for (Piece piece; pieces.next(piece);) kernel.attention(t, piece.begin, piece.end, scratch.get());
  });
  return out.transpose(1, 2);
}

}  // namespace pt2
