// Checks elements that are indices into another tensor: indices, offsets, lengths and labels.
#include <algorithm>
#include <vector>

#include "plan/args/checks/require.h"
#include "plan/args/checks/tables.h"

namespace pt2 {
namespace {

// Returns 0 for a dimension that does not exist.
int64_t sizeOf(const at::Tensor& tensor, int64_t dim) {
  const int64_t at = dim < 0 ? dim + tensor.dim() : dim;
  return tensor.defined() && at >= 0 && at < tensor.dim() ? tensor.size(at) : 0;
}

// Returns the product of the last sizes.
int64_t volumeOf(const at::Tensor& tensor, int64_t dims) {
  int64_t volume = 1;
  for (int64_t dim = 1; dim <= dims; ++dim) volume *= sizeOf(tensor, -dim);
  return volume;
}

// The indices are positions in the planes of `self`.
template <int64_t Dims>
void maxPoolBackward(const Arg& gradOutput, const Arg& self, const Arg& indices) {
  requirePlanes(gradOutput, self, Dims);
  if (gradOutput.hasTensor()) requireSizes(indices, gradOutput.tensor().sizes());
  requireRange(indices, indices.tensor(), 0, volumeOf(self.tensor(), Dims));
}

// Labels beyond a target's length are not read.
void ctcLoss(const Arg& logProbs, const Arg& targets, const Arg& targetLengths) {
  const at::Tensor given = targets.tensor();
  const at::Tensor lengths = targetLengths.integers();
  if (!given.defined() || !lengths.defined() || lengths.dim() != 1 || lengths.numel() == 0) return;
  const int64_t labels = sizeOf(logProbs.tensor(), -1);
  requireRange(targetLengths, lengths, 0, given.numel() + 1);
  if (given.dim() == 1) {
    const int64_t read = lengths.sum().item<int64_t>();
    targetLengths.require(read <= given.numel(), "says more labels than `targets` has");
    requireRange(targets, given.narrow(0, 0, read), 0, labels);
    return;
  }
  if (given.dim() != 2 || given.size(0) != lengths.numel()) return;
  requireRange(targetLengths, lengths, 0, given.size(1) + 1);
  for (int64_t row = 0; row < lengths.numel(); ++row) {
    requireRange(targets, given.select(0, row).narrow(0, 0, lengths[row].item<int64_t>()), 0, labels);
  }
}

void ctcLossBackward(const Arg& grad, const Arg& logProbs, const Arg& targets, const Arg& inputLengths,
                     const Arg& targetLengths, const Arg& negLogLikelihood, const Arg& logAlpha, const Arg& blank) {
  const at::Tensor probs = logProbs.tensor();
  const at::Tensor labels = targets.tensor();
  const at::Tensor alpha = logAlpha.tensor();
  const at::Tensor lengths = targetLengths.integers();
  if (!probs.defined() || !labels.defined() || !alpha.defined() || !lengths.defined()) return;
  const int64_t batch = probs.dim() == 3 ? probs.size(1) : 1;
  const bool sameBatch = labels.dim() == 1 || (labels.dim() == 2 && labels.size(0) == batch);
  targets.require(sameBatch, "has another batch than `log_probs`");
  requireCount(inputLengths, inputLengths.integers(), batch);
  requireCount(targetLengths, lengths, batch);
  if (batch == 0) return;
  requireRange(inputLengths, inputLengths.integers(), 0, std::min(sizeOf(probs, 0), sizeOf(alpha, 1)) + 1);
  blank.require(blank.integer(0) >= 0 && blank.integer(0) < sizeOf(probs, -1), "is no label");
  const int64_t states = 2 * lengths.max().item<int64_t>() + 1;
  logAlpha.require(sizeOf(alpha, 0) >= batch && sizeOf(alpha, 2) >= states, "is smaller than the targets");
  requireCount(grad, batch);
  requireCount(negLogLikelihood, batch);
}

// The lengths or offsets divide the rows of `data` along an axis; both lie along the last dimension.
void segments(const Arg& data, const Arg& lengths, const Arg& offsets, const Arg& axis) {
  const int64_t rows = sizeOf(data.tensor(), axis.integer(0));
  const at::Tensor given = lengths.integers();
  if (given.defined() && given.dim() > 0 && given.numel() > 0) {
    requireRange(lengths, given, 0, rows + 1);
    requireRange(lengths, given.sum(-1), 0, rows + 1);
  }
  requireOffsets(offsets, offsets.integers(), rows);
}

void checkedLengths(const Arg& unsafe) {
  unsafe.require(!unsafe.isTrue(), "must not be true: lengths would go unchecked");
}

void segmentReduceBackward(const Arg& grad, const Arg& output, const Arg& data, const Arg& lengths, const Arg& offsets,
                           const Arg& axis) {
  const at::Tensor rows = data.tensor();
  const at::Tensor counts = lengths.integers();
  const at::Tensor starts = offsets.integers();
  if (!rows.defined() || (!counts.defined() && !starts.defined())) return;
  const int64_t along = axis.integer(0);
  axis.require(along >= 0 && along < rows.dim(), "is no dimension of `data`");
  std::vector<int64_t> sizes = rows.sizes().vec();
  sizes[static_cast<size_t>(along)] = counts.defined() ? sizeOf(counts, -1) : sizeOf(starts, -1) - 1;
  requireSizes(grad, sizes);
  requireSizes(output, sizes);
}

void embeddingBag(const Arg& weight, const Arg& indices, const Arg& offsets, const Arg& mode,
                  const Arg& includeLastOffset) {
  constexpr int64_t kModes = 3;
  const at::Tensor rows = indices.tensor();
  const at::Tensor starts = offsets.tensor();
  requireRange(indices, rows, 0, sizeOf(weight.tensor(), 0));
  mode.require(mode.integer(0) >= 0 && mode.integer(0) < kModes, "must be 0, 1 or 2");
  if (!rows.defined() || !starts.defined()) return;
  requireDims(indices, 1);
  requireDims(offsets, 1);
  requireOffsets(offsets, starts, rows.numel());
  // Indices after the last bag would be added to a bag that does not exist.
  const bool whole = !includeLastOffset.isTrue() || (starts.numel() > 0 && starts[-1].item<int64_t>() == rows.numel());
  offsets.require(whole, "must end with the number of indices");
  offsets.require(starts.numel() > 0 || rows.numel() == 0, "has no bag for the indices");
}

// The indices are rows of a table; each is added to the bag that `offset2bag` names, a row of `grad`.
void bags(const Arg& grad, const Arg& indices, const Arg& offset2bag, const Arg& numWeights) {
  requireRange(indices, indices.tensor(), 0, numWeights.integer(0));
  if (indices.hasTensor()) requireCount(offset2bag, indices.tensor().numel(), OrEmpty::Yes);
  requireRange(offset2bag, offset2bag.tensor(), 0, sizeOf(grad.tensor(), 0));
}

// The mean divides by the sizes of bags, one for each row of `grad`.
void bagSizes(const Arg& grad, const Arg& bagSize, const Arg& mode) {
  constexpr int64_t kMean = 1;
  if (mode.integer(0) != kMean || !bagSize.hasTensor()) return;
  bagSize.require(bagSize.tensor().numel() >= sizeOf(grad.tensor(), 0), "has fewer elements than `grad` has rows");
}

void bagOffsets(const Arg& indices, const Arg& offsets) {
  if (indices.hasTensor()) requireOffsets(offsets, offsets.tensor(), indices.tensor().numel());
}

void embeddingBagWeightsBackward(const Arg& grad, const Arg& weight, const Arg& indices, const Arg& offset2bag) {
  requireRange(indices, indices.tensor(), 0, sizeOf(weight.tensor(), 0));
  if (indices.hasTensor()) requireCount(offset2bag, indices.tensor().numel(), OrEmpty::Yes);
  requireRange(offset2bag, offset2bag.tensor(), 0, sizeOf(grad.tensor(), 0));
}

void embeddingBackward(const Arg& indices, const Arg& numWeights, const Arg& scaleGradByFreq) {
  if (scaleGradByFreq.isTrue()) requireRange(indices, indices.tensor(), 0, numWeights.integer(0));
}

void nllLoss2dBackward(const Arg& self, const Arg& target, const Arg& ignoreIndex) {
  const at::Tensor labels = target.tensor();
  if (!labels.defined()) return;
  requireRange(target, labels.masked_select(labels.ne(ignoreIndex.integer(-100))), 0, sizeOf(self.tensor(), 1));
}

void cooToCsr(const Arg& self, const Arg& size) { requireRange(self, self.tensor(), 0, size.integer(0)); }

void csrToCoo(const Arg& crowIndices, const Arg& colIndices) {
  requireOffsets(crowIndices, crowIndices.tensor(), sizeOf(colIndices.tensor(), -1));
}

}  // namespace

const CheckTable& indexChecks() {
  static const CheckTable table = {
      {{"aten::max_pool2d_with_indices_backward", "aten::max_pool2d_with_indices_backward.grad_input",
        "aten::adaptive_max_pool2d_backward", "aten::adaptive_max_pool2d_backward.grad_input"},
       {reads<maxPoolBackward<2>>("grad_output", "self", "indices")}},
      {{"aten::max_pool3d_with_indices_backward", "aten::max_pool3d_with_indices_backward.grad_input",
        "aten::adaptive_max_pool3d_backward", "aten::adaptive_max_pool3d_backward.grad_input"},
       {reads<maxPoolBackward<3>>("grad_output", "self", "indices")}},
      {{"aten::ctc_loss.IntList", "aten::ctc_loss.Tensor", "aten::_ctc_loss", "aten::_ctc_loss.Tensor",
        "aten::_ctc_loss.out", "aten::_ctc_loss.Tensor_out"},
       {reads<ctcLoss>("log_probs", "targets", "target_lengths")}},
      {{"aten::_ctc_loss_backward", "aten::_ctc_loss_backward.Tensor", "aten::_ctc_loss_backward.out"},
       {reads<ctcLoss>("log_probs", "targets", "target_lengths"),
        reads<ctcLossBackward>("grad", "log_probs", "targets", "input_lengths", "target_lengths", "neg_log_likelihood",
                               "log_alpha", "blank")}},
      {{"aten::segment_reduce", "aten::segment_reduce.out"},
       {reads<checkedLengths>("unsafe"), reads<segments>("data", "lengths", "offsets", "axis")}},
      {{"aten::_segment_reduce_backward", "aten::_segment_reduce_backward.out"},
       {reads<segments>("data", "lengths", "offsets", "axis"),
        reads<segmentReduceBackward>("grad", "output", "data", "lengths", "offsets", "axis")}},
      {{"aten::embedding_bag", "aten::embedding_bag.padding_idx", "aten::_embedding_bag", "aten::_embedding_bag.out",
        "aten::_embedding_bag_forward_only", "aten::_embedding_bag_forward_only.out"},
       {reads<embeddingBag>("weight", "indices", "offsets", "mode", "include_last_offset")}},
      {{"aten::_embedding_bag_backward"},
       {reads<bags>("grad", "indices", "offset2bag", "num_weights"), reads<bagSizes>("grad", "bag_size", "mode"),
        reads<bagOffsets>("indices", "offsets")}},
      {{"aten::_embedding_bag_dense_backward", "aten::_embedding_bag_dense_backward.out"},
       {reads<bags>("grad", "indices", "offset2bag", "num_weights"), reads<bagSizes>("grad", "bag_size", "mode")}},
      {{"aten::_embedding_bag_per_sample_weights_backward", "aten::_embedding_bag_per_sample_weights_backward.out"},
       {reads<embeddingBagWeightsBackward>("grad", "weight", "indices", "offset2bag")}},
      {{"aten::embedding_backward", "aten::embedding_dense_backward", "aten::embedding_dense_backward.out"},
       {reads<embeddingBackward>("indices", "num_weights", "scale_grad_by_freq")}},
      {{"aten::nll_loss2d_backward", "aten::nll_loss2d_backward.grad_input"},
       {reads<nllLoss2dBackward>("self", "target", "ignore_index")}},
      {{"aten::_convert_indices_from_coo_to_csr", "aten::_convert_indices_from_coo_to_csr.out"},
       {reads<cooToCsr>("self", "size")}},
      {{"aten::_convert_indices_from_csr_to_coo", "aten::_convert_indices_from_csr_to_coo.out"},
       {reads<csrToCoo>("crow_indices", "col_indices")}},
  };
  return table;
}

}  // namespace pt2
