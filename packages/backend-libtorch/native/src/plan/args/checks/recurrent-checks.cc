#include <cstdint>
#include <string>
#include <vector>

#include "plan/args/checks/require.h"
#include "plan/args/checks/tables.h"

namespace pt2 {
namespace {

constexpr int64_t kLstm = 2;
constexpr int64_t kLstmGates = 4;
constexpr int64_t kGruGates = 3;

// oneDNN is told sizes, and finds its operands behind pointers.
void requireBlock(const CallArguments& call, const char* name, size_t at, int64_t count) {
  const at::Tensor tensor = call.tensor(at);
  requireCount(call, name, tensor, count);
  if (tensor.defined() && !tensor.is_contiguous()) refuseArgument(call, name, "is not contiguous");
}

// (input, weight0, weight1, weight2, weight3, hx_, cx_, reverse, batch_sizes, mode, hidden_size, …)
void rnnLayer(const CallArguments& call) {
  const at::Tensor input = call.tensor(0);
  if (!input.defined() || input.dim() != 3) refuseArgument(call, "input", "must be a tensor of steps, batch and features");
  if (!input.is_contiguous()) refuseArgument(call, "input", "is not contiguous");
  const at::Tensor sizes = call.integers(8);
  if (sizes.defined() && sizes.numel() > 0) refuseArgument(call, "batch_sizes", "must be empty");
  if (call.integer(9, 0) != kLstm) refuseArgument(call, "mode", "must be 2: only LSTMs are run here");
  const int64_t hidden = call.integer(10, 0);
  if (hidden <= 0 || hidden > INT32_MAX) refuseArgument(call, "hidden_size", "is no size");
  requireBlock(call, "weight0", 1, kLstmGates * hidden * input.size(2));
  requireBlock(call, "weight1", 2, kLstmGates * hidden * hidden);
  requireBlock(call, "weight2", 3, kLstmGates * hidden);
  requireBlock(call, "weight3", 4, kLstmGates * hidden);
  requireBlock(call, "hx_", 5, input.size(1) * hidden);
  requireBlock(call, "cx_", 6, input.size(1) * hidden);
}

// Rows of a packed sequence: as many as the steps of all its members, whose number never grows.
void requireBatches(const CallArguments& call, const char* name, const at::Tensor& data, const at::Tensor& batches) {
  if (!data.defined() || !batches.defined()) return;
  requireDims(call, "batch_sizes", batches, 1);
  require(batches.scalar_type() == c10::kLong && batches.numel() > 0, call, "batch_sizes", "must be int64, and not empty");
  requireRange(call, "batch_sizes", batches, 1, INT64_MAX);
  const bool grows = batches.narrow(0, 1, batches.numel() - 1).gt(batches.narrow(0, 0, batches.numel() - 1)).any().item<bool>();
  require(!grows, call, "batch_sizes", "has an element that is larger than the one before it");
  require(data.dim() > 0 && data.size(0) == batches.sum().item<int64_t>(), call, name, "has not as many rows as `batch_sizes` says");
}

// (data, batch_sizes, batch_first, padding_value, total_length)
void padPacked(const CallArguments& call) { requireBatches(call, "data", call.tensor(0), call.tensor(1)); }

// (grad, input_size, batch_sizes, batch_first)
void packBackward(const CallArguments& call) {
  requireBatches(call, "grad", call.tensor(0), call.tensor(2));
  const at::Tensor size = call.integers(1);
  const at::Tensor batches = call.tensor(2);
  if (!size.defined() || !batches.defined()) return;
  require(size.numel() >= 2, call, "input_size", "must have at least two sizes");
  const bool batchFirst = call.integer(3, 0) != 0;
  const int64_t steps = size[batchFirst ? 1 : 0].item<int64_t>(), batch = size[batchFirst ? 0 : 1].item<int64_t>();
  require(batches.numel() <= steps && batches[0].item<int64_t>() <= batch, call, "input_size", "is smaller than `batch_sizes`");
}

// A stack of recurrent layers, as its arguments describe it.
struct Stack {
  int64_t gates, layers, directions, hidden, features;
  int64_t projected;  // width of what a layer gives; `hidden` where nothing is projected
  bool biases;

  int64_t weights() const { return (biases ? 4 : 2) + (projected != hidden ? 1 : 0); }
};

// weight_ih, weight_hh, bias_ih, bias_hh, weight_hr of each layer and direction, as far as there are such.
void requireWeights(const CallArguments& call, const std::vector<at::Tensor>& params, const Stack& stack) {
  const int64_t count = stack.layers * stack.directions;
  require(static_cast<int64_t>(params.size()) == count * stack.weights(), call, "params", "has a wrong number of weights");
  const int64_t rows = stack.gates * stack.hidden;
  auto at = params.begin();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t features = i < stack.directions ? stack.features : stack.projected * stack.directions;
    requireSizes(call, "params", *at++, {rows, features});
    requireSizes(call, "params", *at++, {rows, stack.projected});
    if (stack.biases) {
      requireSizes(call, "params", *at++, {rows});
      requireSizes(call, "params", *at++, {rows});
    }
    if (stack.projected != stack.hidden) requireSizes(call, "params", *at++, {stack.projected, stack.hidden});
  }
}

// `.input`: (input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first), and `.data`: (data,
// batch_sizes, hx, params, has_biases, …).
template <int64_t Gates>
void recurrent(const CallArguments& call) {
  const bool packed = call.op.find(".data") != std::string::npos;
  const size_t at = packed ? 2 : 1;
  const at::Tensor input = call.tensor(0);
  const std::vector<at::Tensor> states = Gates == kLstmGates ? call.tensors(at) : std::vector{call.tensor(at)};
  require(states.size() == (Gates == kLstmGates ? 2 : 1), call, "hx", "must be two tensors");
  if (packed) requireBatches(call, "data", input, call.tensor(1));
  if (!input.defined() || !states[0].defined() || !states.back().defined()) return;
  const int64_t layers = call.integer(at + 3, 0);
  require(layers > 0 && layers < INT32_MAX, call, "num_layers", "must be positive");
  requireDims(call, packed ? "data" : "input", input, packed ? 2 : 3);
  for (const at::Tensor& state : states) requireDims(call, "hx", state, 3);
  const Stack stack{Gates,         layers,         call.integer(at + 6, 0) != 0 ? 2 : 1, states.back().size(2),
                    input.size(-1), states[0].size(2), call.integer(at + 2, 0) != 0};
  const int64_t batch = packed ? call.tensor(1)[0].item<int64_t>() : input.size(call.integer(at + 7, 0) != 0 ? 0 : 1);
  requireSizes(call, "hx", states[0], {layers * stack.directions, batch, stack.projected});
  requireSizes(call, "hx", states.back(), {layers * stack.directions, batch, stack.hidden});
  requireWeights(call, call.tensors(at + 1), stack);
}

void requireGates(const CallArguments& call, size_t at, const char* name, const at::Tensor& state, int64_t gates) {
  const at::Tensor tensor = call.tensor(at);
  if (!tensor.defined() || !state.defined()) return;
  requireDims(call, "cx", state, 2);
  requireSizes(call, name, tensor, {state.size(0), gates * state.size(1)});
}

// (grad_hy, grad_cy, input_gates, hidden_gates, input_bias, hidden_bias, cx, cy)
void lstmCellBackward(const CallArguments& call) {
  requirePlain(call, 0, 8);
  const at::Tensor cx = call.tensor(6);
  requireGates(call, 2, "input_gates", cx, kLstmGates);
  requireGates(call, 3, "hidden_gates", cx, kLstmGates);
  if (!cx.defined()) return;
  requireSizes(call, "cy", call.tensor(7), cx.sizes());
  requireSizes(call, "grad_hy", call.tensor(0), cx.sizes());
  requireSizes(call, "grad_cy", call.tensor(1), cx.sizes());
}

// (grad_hy, input_gates, hidden_gates, hx, input_bias, hidden_bias)
void gruCellBackward(const CallArguments& call) {
  requirePlain(call, 0, 6);
  const at::Tensor hx = call.tensor(3);
  requireGates(call, 1, "input_gates", hx, kGruGates);
  requireGates(call, 2, "hidden_gates", hx, kGruGates);
  if (hx.defined()) requireSizes(call, "grad_hy", call.tensor(0), hx.sizes());
}

}  // namespace

const CheckTable& recurrentChecks() {
  static const CheckTable table = {
      {"aten::mkldnn_rnn_layer", rnnLayer},
      {"aten::lstm", recurrent<kLstmGates>},
      {"aten::gru", recurrent<kGruGates>},
      {"aten::rnn_tanh", recurrent<1>},
      {"aten::rnn_relu", recurrent<1>},
      {"aten::_pad_packed_sequence", padPacked},
      {"aten::_pack_padded_sequence_backward", packBackward},
      {"aten::_thnn_differentiable_lstm_cell_backward", lstmCellBackward},
      {"aten::_thnn_differentiable_gru_cell_backward", gruCellBackward},
  };
  return table;
}

}  // namespace pt2
