// Recurrent networks of few features, whose steps PyTorch computes by a handful of ops each.
#include <ATen/ops/empty.h>

#include <vector>

#include "../table.h"
#include "check.h"
#include "ops.h"
#include "team.h"

namespace pt2 {

namespace {

constexpr const char* kOp = "recurrent";

/// A thread gets at least this many multiply-adds.
constexpr int64_t kWorkPerThread = int64_t{128} * 1024;

/// Rows of so many floats would compete for the same sets of the cache; the product copies such, and has no room here.
constexpr int64_t kMostHidden = 511;

RecurrentKind kind_of(const std::string& kind) {
  if (kind == "gru") return RecurrentKind::kGru;
  if (kind == "lstm") return RecurrentKind::kLstm;
  if (kind == "rnn_tanh") return RecurrentKind::kTanh;
  TORCH_CHECK(kind == "rnn_relu", "pt2::", kOp, ": kind must be gru, lstm, rnn_tanh or rnn_relu, got ", kind);
  return RecurrentKind::kRelu;
}

/// A copy of a state, which the kernel changes from step to step.
at::Tensor state_of(const at::Tensor& given, at::IntArrayRef sizes) {
  check_float(given, kOp, "hx");
  TORCH_CHECK(given.sizes() == sizes, "pt2::", kOp, ": hx must have shape ", sizes, ", got ", given.sizes());
  return given.clone(at::MemoryFormat::Contiguous);
}

}  // namespace

std::tuple<at::Tensor, at::Tensor, at::Tensor> recurrent(const at::Tensor& x, at::TensorList hx, at::TensorList weights,
                                                         std::string kind, int64_t hidden, bool biased,
                                                         bool batch_first, bool bidirectional) {
  const Kernels& k = kernels();
  const RecurrentKind cell = kind_of(kind);
  const int64_t directions = bidirectional ? 2 : 1;
  const int64_t each = biased ? 4 : 2;
  const auto count = static_cast<int64_t>(weights.size());
  const int64_t layers = count / (directions * each);
  check_float(x, kOp, "x");
  TORCH_CHECK(x.dim() == 3 && hidden > 0 && hidden <= kMostHidden, "pt2::", kOp, ": x must have three dimensions, got ",
              x.sizes(), ", and hidden be from 1 to ", kMostHidden, ", got ", hidden);
  TORCH_CHECK(layers > 0 && count == layers * directions * each, "pt2::", kOp, ": got ", count, " weights");
  TORCH_CHECK(hx.size() == (cell == RecurrentKind::kLstm ? 2 : 1), "pt2::", kOp, ": got ", hx.size(), " states");
  const int64_t batch = x.size(batch_first ? 0 : 1), steps = x.size(batch_first ? 1 : 0);
  TORCH_CHECK(steps > 0, "Expected sequence length to be larger than 0 in RNN");
  const at::Tensor h = state_of(hx[0], {layers * directions, batch, hidden});
  const at::Tensor c = cell == RecurrentKind::kLstm ? state_of(hx[1], h.sizes()) : at::Tensor();
  const int64_t width = gates_of(cell) * hidden, features = directions * hidden;

  at::Tensor input = x.contiguous();
  for (int64_t layer = 0; layer < layers; ++layer) {
    // Steps come first in memory, as in what PyTorch returns.
    const bool rows_first = batch_first && layer == 0;
    const at::Tensor out = at::empty({steps, batch, features}, input.options());
    for (int64_t direction = 0; direction < directions; ++direction) {
      const int64_t state = layer * directions + direction;
      const auto weight = [&](int64_t i) -> const at::Tensor& {
        return weights[static_cast<size_t>(state * each + i)];
      };
      const std::optional<at::Tensor> input_bias = biased ? std::make_optional(weight(2)) : std::nullopt;
      const at::Tensor gates =
          linear(input, weight(0), width, input_bias, std::nullopt, "none", OptionalScalars(), std::nullopt);
      const at::Tensor& packed = check_packed(weight(1), hidden, width, kOp);
      const at::Tensor bias = biased ? optional_vector(weight(3), width, kOp, "bias") : at::Tensor();
      if (batch == 0) continue;
      const int64_t at = state * batch * hidden;
      const Recurrent r{
          .kind = cell,
          .gates = gates.const_data_ptr<float>(),
          .packed = packed.const_data_ptr<float>(),
          .bias = data_or_null(bias),
          .h = h.mutable_data_ptr<float>() + at,
          .c = c.defined() ? c.mutable_data_ptr<float>() + at : nullptr,
          .out = out.mutable_data_ptr<float>() + direction * hidden,
          .steps = steps,
          .batch = batch,
          .hidden = hidden,
          .gates_step = rows_first ? width : batch * width,
          .gates_row = rows_first ? steps * width : width,
          .out_step = batch * features,
          .out_row = features,
          .reverse = direction == 1,
          .shape = k.gemm_shape(width),
      };
      const int64_t grain = std::max<int64_t>(1, kWorkPerThread / (steps * width * hidden));
      share(batch, grain, [&](Pieces& pieces) {
        std::vector<float> scratch;
        for (Piece piece; pieces.next(piece);) {
          scratch.resize(static_cast<size_t>((piece.end - piece.begin) * r.scratch_floats()));
          k.recurrent(r, piece.begin, piece.end, scratch.data());
        }
      });
    }
    input = out;
  }
  return {batch_first ? input.transpose(0, 1) : input, h, c};
}

}  // namespace pt2
