// Checks the arguments of normalizations: weights and statistics have an element for each channel, group or row.
#include <vector>

#include "plan/args/checks/require.h"
#include "plan/args/checks/tables.h"

namespace pt2 {
namespace {

int64_t channelsOf(const at::Tensor& input) { return input.dim() < 2 ? 0 : input.size(1); }

// The first argument is the input, and the others have an element for each of its channels.
void perChannel(Args arguments) {
  if (!arguments.front().hasTensor()) return;
  const int64_t channels = channelsOf(arguments.front().tensor());
  for (const Arg& argument : arguments.subspan(1)) requireCount(argument, channels);
}

void statistics(const Arg& input, const Arg& runningMean, const Arg& runningVar) {
  if (!input.hasTensor()) return;
  runningMean.require(runningMean.hasTensor() && runningVar.hasTensor(), "and its variance are needed");
}

void inferenceStatistics(const Arg& input, const Arg& runningMean, const Arg& runningVar, const Arg& training) {
  if (training.integer(1) == 0) statistics(input, runningMean, runningVar);
}

void onlyTraining(const Arg& input, const Arg& training) {
  training.require(!input.hasTensor() || training.isTrue(), "must be true: there are no statistics");
}

void batchNormBackward(const Arg& gradOut, const Arg& input, const Arg& runningMean, const Arg& runningVar,
                       const Arg& saveMean, const Arg& saveInvstd, const Arg& training) {
  if (!gradOut.hasTensor() || !input.hasTensor()) return;
  const at::Tensor image = input.tensor();
  const int64_t channels = channelsOf(image);
  input.require(image.numel() > 0, "is empty");
  requireSizes(gradOut, image.sizes());
  requireCount(saveMean, channels, OrEmpty::Yes);
  requireCount(saveInvstd, channels, OrEmpty::Yes);
  const Arg& mean = training.isTrue() ? saveMean : runningMean;
  const Arg& deviation = training.isTrue() ? saveInvstd : runningVar;
  for (const Arg* each : {&mean, &deviation}) {
    mean.require(each->hasTensor() && each->tensor().numel() == channels, "and its variance are needed");
  }
}

void groupNorm(const Arg& input, const Arg& weight, const Arg& bias, const Arg& N, const Arg& C, const Arg& HxW,
               const Arg& group) {
  const int64_t batch = N.integer(0), channels = C.integer(0), groups = group.integer(0);
  group.require(groups > 0 && channels >= 0 && channels % groups == 0, "does not divide the channels");
  requireCount(input, batch * channels * HxW.integer(0));
  requireCount(weight, channels);
  requireCount(bias, channels);
}

void groupNormBackward(const Arg& gradOut, const Arg& input, const Arg& mean, const Arg& rstd, const Arg& weight,
                       const Arg& N, const Arg& C, const Arg& HxW, const Arg& group) {
  if (!input.hasTensor()) return;
  const int64_t batch = N.integer(0), channels = C.integer(0), groups = group.integer(0);
  group.require(groups > 0 && channels >= 0 && channels % groups == 0, "does not divide the channels");
  requireCount(input, batch * channels * HxW.integer(0));
  requireSizes(gradOut, input.tensor().sizes());
  requireCount(mean, batch * groups);
  requireCount(rstd, batch * groups);
  requireCount(weight, channels);
  for (const Arg* each : {&gradOut, &input, &mean, &rstd}) {
    each->require(!each->hasTensor() || each->tensor().is_non_overlapping_and_dense(), "is not dense");
  }
}

void layerNormBackward(const Arg& gradOut, const Arg& input, const Arg& normalizedShape, const Arg& mean,
                       const Arg& rstd) {
  const at::Tensor given = input.tensor();
  const at::Tensor normalized = normalizedShape.integers();
  if (!given.defined() || !normalized.defined() || normalized.numel() > given.dim()) return;
  int64_t rows = 1;
  for (int64_t dim = 0; dim < given.dim() - normalized.numel(); ++dim) rows *= given.size(dim);
  requireSizes(gradOut, given.sizes());
  requireCount(mean, rows);
  requireCount(rstd, rows);
}

// The norm is taken over all dimensions but the first or the last.
void requireNorms(const Arg& norms, const at::Tensor& v, int64_t dim) {
  if (dim == 0 || dim == v.dim() - 1) requireCount(norms, v.size(dim));
}

void weightNorm(const Arg& v, const Arg& g, const Arg& dim) {
  if (!v.hasTensor()) return;
  v.require(v.tensor().numel() > 0, "has no elements");
  if (v.tensor().dim() > 0) requireNorms(g, v.tensor(), dim.integer(0));
}

// `_weight_norm` makes them contiguous before it calls the op with this kernel.
void contiguousWeights(const Arg& v, const Arg& g) {
  if (!v.hasTensor()) return;
  g.require(v.tensor().is_contiguous() && g.hasTensor() && g.tensor().is_contiguous(), "and `v` must be contiguous");
}

void weightNormBackward(const Arg& gradW, const Arg& savedV, const Arg& savedG, const Arg& savedNorms, const Arg& dim) {
  const at::Tensor v = savedV.tensor();
  if (!v.defined() || v.dim() == 0) return;
  savedV.require(v.numel() > 0, "has no elements");
  requireSizes(gradW, v.sizes());
  requireNorms(savedG, v, dim.integer(0));
  requireNorms(savedNorms, v, dim.integer(0));
  for (const Arg* each : {&gradW, &savedV, &savedG, &savedNorms}) {
    savedV.require(!each->hasTensor() || each->tensor().is_contiguous(), "and all others must be contiguous");
  }
}

NamedCheck channelsOfBatchNorm() { return reads<perChannel>("input", "weight", "bias", "running_mean", "running_var"); }

}  // namespace

const CheckTable& normChecks() {
  static const CheckTable table = {
      {{"aten::native_batch_norm", "aten::native_batch_norm.out", "aten::_native_batch_norm_legit",
        "aten::_native_batch_norm_legit.out", "aten::_native_batch_norm_legit_functional"},
       {reads<inferenceStatistics>("input", "running_mean", "running_var", "training"), channelsOfBatchNorm()}},
      {{"aten::_native_batch_norm_legit.no_stats", "aten::_native_batch_norm_legit.no_stats_out"},
       {reads<onlyTraining>("input", "training"), reads<perChannel>("input", "weight", "bias")}},
      {{"aten::_native_batch_norm_legit_no_training", "aten::_native_batch_norm_legit_no_training.out",
        "aten::_batch_norm_no_update", "aten::_batch_norm_no_update.out"},
       {reads<statistics>("input", "running_mean", "running_var"), channelsOfBatchNorm()}},
      {{"aten::_batch_norm_with_update", "aten::_batch_norm_with_update.out",
        "aten::_batch_norm_with_update_functional"},
       {channelsOfBatchNorm()}},
      {{"aten::native_batch_norm_backward", "aten::native_batch_norm_backward.out"},
       {reads<perChannel>("input", "weight", "running_mean", "running_var"),
        reads<batchNormBackward>("grad_out", "input", "running_mean", "running_var", "save_mean", "save_invstd",
                                 "train")}},
      {{"aten::batch_norm_backward"},
       {reads<perChannel>("input", "weight", "running_mean", "running_var"),
        reads<batchNormBackward>("grad_out", "input", "running_mean", "running_var", "save_mean", "save_var",
                                 "update")}},
      {{"aten::batch_norm_update_stats", "aten::batch_norm_update_stats.out"},
       {reads<perChannel>("input", "running_mean", "running_var")}},
      {{"aten::native_layer_norm_backward", "aten::native_layer_norm_backward.out"},
       {reads<layerNormBackward>("grad_out", "input", "normalized_shape", "mean", "rstd")}},
      {{"aten::_weight_norm"}, {reads<weightNorm>("v", "g", "dim")}},
      {{"aten::_weight_norm_interface", "aten::_weight_norm_interface.out"},
       {reads<weightNorm>("v", "g", "dim"), reads<contiguousWeights>("v", "g")}},
      {{"aten::_weight_norm_interface_backward", "aten::_weight_norm_interface_backward.out"},
       {reads<weightNormBackward>("grad_w", "saved_v", "saved_g", "saved_norms", "dim")}},
      {{"aten::native_group_norm", "aten::native_group_norm.out"},
       {reads<requirePlain>("input", "weight", "bias"),
        reads<groupNorm>("input", "weight", "bias", "N", "C", "HxW", "group")}},
      {{"aten::native_group_norm_backward", "aten::native_group_norm_backward.out"},
       {reads<groupNormBackward>("grad_out", "input", "mean", "rstd", "weight", "N", "C", "HxW", "group")}},
  };
  return table;
}

}  // namespace pt2
