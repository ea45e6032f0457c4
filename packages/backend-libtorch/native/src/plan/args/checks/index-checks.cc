#include <algorithm>
#include <vector>

#include "plan/args/checks/require.h"
#include "plan/args/checks/tables.h"

namespace pt2 {
namespace {

int64_t sizeOf(const at::Tensor& tensor, int64_t dim) {
  const int64_t at = dim < 0 ? dim + tensor.dim() : dim;
  return tensor.defined() && at >= 0 && at < tensor.dim() ? tensor.size(at) : 0;
}

int64_t volumeOf(const at::Tensor& tensor, int64_t dims) {
  int64_t volume = 1;
  for (int64_t dim = 1; dim <= dims; ++dim) volume *= sizeOf(tensor, -dim);
  return volume;
}

// (grad_output, self, …, indices): positions in the planes of self.
template <int64_t Dims, size_t Indices>
void maxPoolBackward(const CallArguments& call) {
  requirePlanes(call, Dims);
  if (call.tensor(0).defined()) requireSizes(call, "indices", call.tensor(Indices), call.tensor(0).sizes());
  requireRange(call, "indices", call.tensor(Indices), 0, volumeOf(call.tensor(1), Dims));
}

// Labels beyond a target's length are never read.
void requireLabels(const CallArguments& call, const at::Tensor& logProbs, size_t at) {
  const at::Tensor targets = call.tensor(at);
  const at::Tensor lengths = call.integers(at + 2);
  if (!targets.defined() || !lengths.defined() || lengths.dim() != 1 || lengths.numel() == 0) return;
  const int64_t labels = sizeOf(logProbs, -1);
  requireRange(call, "target_lengths", lengths, 0, targets.numel() + 1);
  if (targets.dim() == 1) {
    const int64_t read = lengths.sum().item<int64_t>();
    if (read > targets.numel()) refuseArgument(call, "target_lengths", "says more labels than `targets` has");
    requireRange(call, "targets", targets.narrow(0, 0, read), 0, labels);
    return;
  }
  if (targets.dim() != 2 || targets.size(0) != lengths.numel()) return;
  requireRange(call, "target_lengths", lengths, 0, targets.size(1) + 1);
  for (int64_t row = 0; row < lengths.numel(); ++row) {
    requireRange(call, "targets", targets.select(0, row).narrow(0, 0, lengths[row].item<int64_t>()), 0, labels);
  }
}

void ctcLoss(const CallArguments& call) {
  requireLabels(call, call.tensor(0), 1);
}

// (grad, log_probs, targets, input_lengths, target_lengths, neg_log_likelihood, log_alpha, blank, …)
void ctcLossBackward(const CallArguments& call) {
  const at::Tensor logProbs = call.tensor(1);
  const at::Tensor targets = call.tensor(2);
  const at::Tensor alpha = call.tensor(6);
  const at::Tensor targetLengths = call.integers(4);
  requireLabels(call, logProbs, 2);
  if (!logProbs.defined() || !targets.defined() || !alpha.defined() || !targetLengths.defined()) return;
  const int64_t batch = logProbs.dim() == 3 ? logProbs.size(1) : 1;
  require(targets.dim() == 1 || (targets.dim() == 2 && targets.size(0) == batch), call, "targets", "has another batch than `log_probs`");
  requireCount(call, "input_lengths", call.integers(3), batch);
  requireCount(call, "target_lengths", targetLengths, batch);
  if (batch == 0) return;
  requireRange(call, "input_lengths", call.integers(3), 0, std::min(sizeOf(logProbs, 0), sizeOf(alpha, 1)) + 1);
  const int64_t blank = call.integer(7, 0);
  require(blank >= 0 && blank < sizeOf(logProbs, -1), call, "blank", "is no label");
  const int64_t states = 2 * targetLengths.max().item<int64_t>() + 1;
  if (sizeOf(alpha, 0) < batch || sizeOf(alpha, 2) < states) {
    refuseArgument(call, "log_alpha", "is smaller than the targets");
  }
  requireCount(call, "grad", call.tensor(0), batch);
  requireCount(call, "neg_log_likelihood", call.tensor(5), batch);
}

// Of rows along the last dimension of the lengths, or offsets.
void requireSegments(const CallArguments& call, const at::Tensor& data, size_t lengthsAt, size_t offsetsAt,
                     size_t axisAt) {
  const int64_t rows = sizeOf(data, call.integer(axisAt, 0));
  const at::Tensor lengths = call.integers(lengthsAt);
  if (lengths.defined() && lengths.dim() > 0 && lengths.numel() > 0) {
    requireRange(call, "lengths", lengths, 0, rows + 1);
    requireRange(call, "lengths", lengths.sum(-1), 0, rows + 1);
  }
  requireOffsets(call, "offsets", call.integers(offsetsAt), rows);
}

// (data, reduce, *, lengths, indices, offsets, axis, …)
void segmentReduce(const CallArguments& call) {
  requireSegments(call, call.tensor(0), 2, 4, 5);
}

// (grad, output, data, reduce, *, lengths, offsets, axis, …)
void segmentReduceBackward(const CallArguments& call) {
  const at::Tensor data = call.tensor(2);
  requireSegments(call, data, 4, 5, 6);
  const at::Tensor lengths = call.integers(4);
  const at::Tensor offsets = call.integers(5);
  if (!data.defined() || (!lengths.defined() && !offsets.defined())) return;
  const int64_t axis = call.integer(6, 0);
  const int64_t segments = lengths.defined() ? sizeOf(lengths, -1) : sizeOf(offsets, -1) - 1;
  std::vector<int64_t> sizes = data.sizes().vec();
  if (axis < 0 || axis >= data.dim()) refuseArgument(call, "axis", "is no dimension of `data`");
  sizes[static_cast<size_t>(axis)] = segments;
  requireSizes(call, "grad", call.tensor(0), sizes);
  requireSizes(call, "output", call.tensor(1), sizes);
}

// (weight, indices, offsets, …)
void embeddingBag(const CallArguments& call) {
  constexpr int64_t kModes = 3;
  const at::Tensor indices = call.tensor(1);
  const at::Tensor offsets = call.tensor(2);
  requireRange(call, "indices", indices, 0, sizeOf(call.tensor(0), 0));
  const int64_t mode = call.integer(4, 0);
  require(mode >= 0 && mode < kModes, call, "mode", "must be 0, 1 or 2");
  if (!indices.defined() || !offsets.defined()) return;
  requireDims(call, "indices", indices, 1);
  requireDims(call, "offsets", offsets, 1);
  requireOffsets(call, "offsets", offsets, indices.numel());
  // Indices behind the last bag would be added to one that is not there.
  const bool whole = call.integer(7, 0) == 0 || (offsets.numel() > 0 && offsets[-1].item<int64_t>() == indices.numel());
  require(whole, call, "offsets", "must end with the number of indices");
  require(offsets.numel() > 0 || indices.numel() == 0, call, "offsets", "has no bag for the indices");
}

// `indices` are rows of a table, each summed into the bag that `offset2bag` says, a row of `grad`.
void requireBags(const CallArguments& call, size_t bagsAt, int64_t rows) {
  const at::Tensor indices = call.tensor(1);
  const at::Tensor bags = call.tensor(bagsAt);
  requireRange(call, "indices", indices, 0, rows);
  if (bags.defined() && indices.defined()) requireCount(call, "offset2bag", bags, indices.numel(), true);
  requireRange(call, "offset2bag", bags, 0, sizeOf(call.tensor(0), 0));
}

// The mean divides by sizes of bags, one for each row of `grad`.
void requireBagSizes(const CallArguments& call, size_t sizesAt, size_t modeAt) {
  constexpr int64_t kMean = 1;
  const at::Tensor sizes = call.tensor(sizesAt);
  if (call.integer(modeAt, 0) != kMean || !sizes.defined() || sizes.numel() >= sizeOf(call.tensor(0), 0)) return;
  refuseArgument(call, "bag_size", "has fewer elements than `grad` has rows");
}

// (grad, indices, offset2bag, bag_size, maximum_indices, num_weights, …)
void embeddingBagDenseBackward(const CallArguments& call) {
  requireBags(call, 2, call.integer(5, 0));
  requireBagSizes(call, 3, 7);
}

// (grad, indices, offsets, offset2bag, bag_size, maximum_indices, num_weights, …)
void embeddingBagBackward(const CallArguments& call) {
  requireBags(call, 3, call.integer(6, 0));
  requireBagSizes(call, 4, 8);
  const at::Tensor indices = call.tensor(1);
  if (indices.defined()) requireOffsets(call, "offsets", call.tensor(2), indices.numel());
}

// (grad, weight, indices, offsets, offset2bag, mode, …)
void embeddingBagWeightsBackward(const CallArguments& call) {
  const at::Tensor indices = call.tensor(2);
  requireRange(call, "indices", indices, 0, sizeOf(call.tensor(1), 0));
  if (indices.defined()) requireCount(call, "offset2bag", call.tensor(4), indices.numel(), true);
  requireRange(call, "offset2bag", call.tensor(4), 0, sizeOf(call.tensor(0), 0));
}

// (grad_output, indices, num_weights, padding_idx, scale_grad_by_freq, …)
void embeddingBackward(const CallArguments& call) {
  if (call.integer(4, 0) != 0) requireRange(call, "indices", call.tensor(1), 0, call.integer(2, 0));
}

// (grad_output, self, target, weight, reduction, ignore_index, …)
void nllLoss2dBackward(const CallArguments& call) {
  const at::Tensor target = call.tensor(2);
  if (!target.defined()) return;
  requireRange(call, "target", target.masked_select(target.ne(call.integer(5, -100))), 0, sizeOf(call.tensor(1), 1));
}

// (self, size, …)
void cooToCsr(const CallArguments& call) {
  requireRange(call, "self", call.tensor(0), 0, call.integer(1, 0));
}

// (crow_indices, col_indices, …)
void csrToCoo(const CallArguments& call) {
  requireOffsets(call, "crow_indices", call.tensor(0), sizeOf(call.tensor(1), -1));
}

}  // namespace

const CheckTable& indexChecks() {
  static const CheckTable table = {
      {"aten::max_pool2d_with_indices_backward", maxPoolBackward<2, 7>},
      {"aten::max_pool3d_with_indices_backward", maxPoolBackward<3, 7>},
      {"aten::adaptive_max_pool2d_backward", maxPoolBackward<2, 2>},
      {"aten::adaptive_max_pool3d_backward", maxPoolBackward<3, 2>},
      {"aten::ctc_loss", ctcLoss},
      {"aten::_ctc_loss", ctcLoss},
      {"aten::_ctc_loss_backward", ctcLossBackward},
      {"aten::segment_reduce", segmentReduce},
      {"aten::_segment_reduce_backward", segmentReduceBackward},
      {"aten::embedding_bag", embeddingBag},
      {"aten::_embedding_bag", embeddingBag},
      {"aten::_embedding_bag_forward_only", embeddingBag},
      {"aten::_embedding_bag_backward", embeddingBagBackward},
      {"aten::_embedding_bag_dense_backward", embeddingBagDenseBackward},
      {"aten::_embedding_bag_per_sample_weights_backward", embeddingBagWeightsBackward},
      {"aten::embedding_backward", embeddingBackward},
      {"aten::embedding_dense_backward", embeddingBackward},
      {"aten::nll_loss2d_backward", nllLoss2dBackward},
      {"aten::_convert_indices_from_coo_to_csr", cooToCsr},
      {"aten::_convert_indices_from_csr_to_coo", csrToCoo},
  };
  return table;
}

}  // namespace pt2
