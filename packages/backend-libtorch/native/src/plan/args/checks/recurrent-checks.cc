// Checks the arguments of recurrent layers, and of packed sequences.
#include <cstdint>
#include <vector>

#include "plan/args/checks/require.h"
#include "plan/args/checks/tables.h"

namespace pt2 {
namespace {

constexpr int64_t kLstm = 2;
constexpr int64_t kLstmGates = 4;
constexpr int64_t kGruGates = 3;

// oneDNN takes sizes as numbers, and reads its operands through pointers without a check.
void requireBlock(const Arg& argument, int64_t count) {
  requireCount(argument, count);
  argument.require(!argument.hasTensor() || argument.tensor().is_contiguous(), "is not contiguous");
}

void rnnLayer(const Arg& input, const Arg& weight0, const Arg& weight1, const Arg& weight2, const Arg& weight3,
              const Arg& hx, const Arg& cx, const Arg& batchSizes, const Arg& mode, const Arg& hiddenSize) {
  const at::Tensor steps = input.tensor();
  input.require(steps.defined() && steps.dim() == 3, "must be a tensor of steps, batch and features");
  input.require(steps.is_contiguous(), "is not contiguous");
  const at::Tensor sizes = batchSizes.integers();
  batchSizes.require(!sizes.defined() || sizes.numel() == 0, "must be empty");
  mode.require(mode.integer(0) == kLstm, "must be 2: only LSTMs are run here");
  const int64_t hidden = hiddenSize.integer(0);
  hiddenSize.require(hidden > 0 && hidden <= INT32_MAX, "is no size");
  requireBlock(weight0, kLstmGates * hidden * steps.size(2));
  requireBlock(weight1, kLstmGates * hidden * hidden);
  requireBlock(weight2, kLstmGates * hidden);
  requireBlock(weight3, kLstmGates * hidden);
  requireBlock(hx, steps.size(1) * hidden);
  requireBlock(cx, steps.size(1) * hidden);
}

// A packed sequence has as many rows as all its batch sizes together, and batch sizes never grow.
void packed(const Arg& data, const Arg& batchSizes) {
  const at::Tensor rows = data.tensor();
  const at::Tensor sizes = batchSizes.tensor();
  if (!rows.defined() || !sizes.defined()) return;
  requireDims(batchSizes, 1);
  batchSizes.require(sizes.scalar_type() == c10::kLong && sizes.numel() > 0, "must be int64, and not empty");
  requireRange(batchSizes, sizes, 1, INT64_MAX);
  const int64_t steps = sizes.numel();
  const bool grows = sizes.narrow(0, 1, steps - 1).gt(sizes.narrow(0, 0, steps - 1)).any().item<bool>();
  batchSizes.require(!grows, "has an element that is larger than the one before it");
  data.require(rows.dim() > 0 && rows.size(0) == sizes.sum().item<int64_t>(),
               "has not as many rows as `batch_sizes` says");
}

void packBackward(const Arg& inputSize, const Arg& batchSizes, const Arg& batchFirst) {
  const at::Tensor size = inputSize.integers();
  const at::Tensor sizes = batchSizes.tensor();
  if (!size.defined() || !sizes.defined()) return;
  inputSize.require(size.numel() >= 2, "must have at least two sizes");
  const int64_t steps = size[batchFirst.isTrue() ? 1 : 0].item<int64_t>();
  const int64_t batch = size[batchFirst.isTrue() ? 0 : 1].item<int64_t>();
  inputSize.require(sizes.numel() <= steps && sizes[0].item<int64_t>() <= batch, "is smaller than `batch_sizes`");
}

// A stack of recurrent layers, as its arguments describe it.
struct Layers {
  int64_t gates;
  int64_t count;
  int64_t directions;
  int64_t hidden;
  int64_t features;
  int64_t projected;  // width of a layer's output; `hidden` without a projection
  bool biases;

  int64_t weights() const { return (biases ? 4 : 2) + (projected != hidden ? 1 : 0); }
};

// The parameters are weight_ih, weight_hh, bias_ih, bias_hh, weight_hr of each layer and direction, without those that
// the layer does not have.
void requireWeights(const Arg& params, const Layers& layers) {
  const std::vector<at::Tensor> weights = params.tensors();
  const int64_t count = layers.count * layers.directions;
  params.require(static_cast<int64_t>(weights.size()) == count * layers.weights(), "has a wrong number of weights");
  const int64_t rows = layers.gates * layers.hidden;
  auto at = weights.begin();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t features = i < layers.directions ? layers.features : layers.projected * layers.directions;
    requireSizes(params, *at++, {rows, features});
    requireSizes(params, *at++, {rows, layers.projected});
    if (layers.biases) {
      requireSizes(params, *at++, {rows});
      requireSizes(params, *at++, {rows});
    }
    if (layers.projected != layers.hidden) requireSizes(params, *at++, {layers.projected, layers.hidden});
  }
}

// Checks what the two kinds of recurrent ops have in common.
struct LayerArgs {
  const Arg& hx;
  const Arg& params;
  const Arg& hasBiases;
  const Arg& numLayers;
  const Arg& bidirectional;
};

// `batchOf` returns the batch size, and is called once the input is known to have `dims` dimensions.
template <int64_t Gates, class BatchOf>
void requireLayers(const Arg& input, int64_t dims, const LayerArgs& args, BatchOf batchOf) {
  constexpr size_t kStates = Gates == kLstmGates ? 2 : 1;
  const std::vector<at::Tensor> states = kStates == 2 ? args.hx.tensors() : std::vector{args.hx.tensor()};
  args.hx.require(states.size() == kStates, "must be two tensors");
  const at::Tensor given = input.tensor();
  if (!given.defined() || !states.front().defined() || !states.back().defined()) return;
  const int64_t count = args.numLayers.integer(0);
  args.numLayers.require(count > 0 && count < INT32_MAX, "must be positive");
  requireDims(input, dims);
  for (const at::Tensor& state : states) requireDims(args.hx, state, 3);
  const Layers layers{.gates = Gates,
                      .count = count,
                      .directions = args.bidirectional.isTrue() ? 2 : 1,
                      .hidden = states.back().size(2),
                      .features = given.size(-1),
                      .projected = states.front().size(2),
                      .biases = args.hasBiases.isTrue()};
  const int64_t batch = batchOf();
  requireSizes(args.hx, states.front(), {count * layers.directions, batch, layers.projected});
  requireSizes(args.hx, states.back(), {count * layers.directions, batch, layers.hidden});
  requireWeights(args.params, layers);
}

template <int64_t Gates>
void recurrent(const Arg& input, const Arg& hx, const Arg& params, const Arg& hasBiases, const Arg& numLayers,
               const Arg& bidirectional, const Arg& batchFirst) {
  requireLayers<Gates>(input, 3, {hx, params, hasBiases, numLayers, bidirectional},
                       [&] { return input.tensor().size(batchFirst.isTrue() ? 0 : 1); });
}

template <int64_t Gates>
void packedRecurrent(const Arg& data, const Arg& batchSizes, const Arg& hx, const Arg& params, const Arg& hasBiases,
                     const Arg& numLayers, const Arg& bidirectional) {
  packed(data, batchSizes);
  requireLayers<Gates>(data, 2, {hx, params, hasBiases, numLayers, bidirectional},
                       [&] { return batchSizes.tensor()[0].template item<int64_t>(); });
}

void requireGates(const Arg& gates, const Arg& state, int64_t count) {
  if (!gates.hasTensor() || !state.hasTensor()) return;
  requireDims(state, 2);
  requireSizes(gates, {state.tensor().size(0), count * state.tensor().size(1)});
}

void lstmCellBackward(const Arg& gradHy, const Arg& gradCy, const Arg& inputGates, const Arg& hiddenGates,
                      const Arg& cx, const Arg& cy) {
  requireGates(inputGates, cx, kLstmGates);
  requireGates(hiddenGates, cx, kLstmGates);
  if (!cx.hasTensor()) return;
  for (const Arg* each : {&cy, &gradHy, &gradCy}) requireSizes(*each, cx.tensor().sizes());
}

void gruCellBackward(const Arg& gradHy, const Arg& inputGates, const Arg& hiddenGates, const Arg& hx) {
  requireGates(inputGates, hx, kGruGates);
  requireGates(hiddenGates, hx, kGruGates);
  if (hx.hasTensor()) requireSizes(gradHy, hx.tensor().sizes());
}

template <int64_t Gates>
std::vector<NamedCheck> layerChecks() {
  return {reads<recurrent<Gates>>("input", "hx", "params", "has_biases", "num_layers", "bidirectional", "batch_first")};
}

template <int64_t Gates>
std::vector<NamedCheck> packedLayerChecks() {
  return {reads<packedRecurrent<Gates>>("data", "batch_sizes", "hx", "params", "has_biases", "num_layers",
                                        "bidirectional")};
}

}  // namespace

const CheckTable& recurrentChecks() {
  static const CheckTable table = {
      {{"aten::mkldnn_rnn_layer", "aten::mkldnn_rnn_layer.out"},
       {reads<rnnLayer>("input", "weight0", "weight1", "weight2", "weight3", "hx_", "cx_", "batch_sizes", "mode",
                        "hidden_size")}},
      {{"aten::lstm.input"}, layerChecks<kLstmGates>()},
      {{"aten::lstm.data"}, packedLayerChecks<kLstmGates>()},
      {{"aten::gru.input"}, layerChecks<kGruGates>()},
      {{"aten::gru.data"}, packedLayerChecks<kGruGates>()},
      {{"aten::rnn_tanh.input", "aten::rnn_relu.input"}, layerChecks<1>()},
      {{"aten::rnn_tanh.data", "aten::rnn_relu.data"}, packedLayerChecks<1>()},
      {{"aten::_pad_packed_sequence"}, {reads<packed>("data", "batch_sizes")}},
      {{"aten::_pack_padded_sequence_backward"},
       {reads<packed>("grad", "batch_sizes"), reads<packBackward>("input_size", "batch_sizes", "batch_first")}},
      {{"aten::_thnn_differentiable_lstm_cell_backward"},
       {reads<requirePlain>("grad_hy", "grad_cy", "input_gates", "hidden_gates", "input_bias", "hidden_bias", "cx",
                            "cy"),
        reads<lstmCellBackward>("grad_hy", "grad_cy", "input_gates", "hidden_gates", "cx", "cy")}},
      {{"aten::_thnn_differentiable_gru_cell_backward"},
       {reads<requirePlain>("grad_hy", "input_gates", "hidden_gates", "hx", "input_bias", "hidden_bias"),
        reads<gruCellBackward>("grad_hy", "input_gates", "hidden_gates", "hx")}},
  };
  return table;
}

}  // namespace pt2
