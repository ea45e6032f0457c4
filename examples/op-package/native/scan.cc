// The kernel for libtorch, on PyTorch's stable ABI: one binary for torch 2.11 and later.
#define TORCH_TARGET_VERSION (((0ULL + 2) << 56) | ((0ULL + 11) << 48))

#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/util/BFloat16.h>
#include <torch/headeronly/util/Half.h>

using torch::headeronly::ScalarType;
using torch::stable::Tensor;

// Float16 and bfloat16 keep the state in float32.
template <typename Number, typename State = Number>
void recurrence(const Tensor& decay, const Tensor& input, const Tensor& states) {
  const Number* by = static_cast<const Number*>(decay.data_ptr());
  const Number* from = static_cast<const Number*>(input.data_ptr());
  Number* to = static_cast<Number*>(states.data_ptr());
  const int64_t size = input.size(-1);
  const int64_t rows = size == 0 ? 0 : input.numel() / size;
  for (int64_t row = 0; row < rows; row++) {
    State state = 0;
    for (int64_t t = row * size; t < (row + 1) * size; t++) {
      state = static_cast<State>(by[t]) * state + static_cast<State>(from[t]);
      to[t] = static_cast<Number>(state);
    }
  }
}

Tensor linear_recurrence(const Tensor& decay, const Tensor& input) {
  STD_TORCH_CHECK(input.dim() > 0, "input has no dimension to go along");
  STD_TORCH_CHECK(decay.dim() == input.dim() && decay.numel() == input.numel(), "decay and input have one shape");
  for (int64_t d = 0; d < input.dim(); d++) {
    STD_TORCH_CHECK(decay.size(d) == input.size(d), "decay and input have one shape");
  }
  STD_TORCH_CHECK(decay.scalar_type() == input.scalar_type(), "decay and input have one dtype");
  const Tensor dense_decay = torch::stable::contiguous(decay);
  const Tensor dense_input = torch::stable::contiguous(input);
  const Tensor states = torch::stable::empty_like(dense_input);
  switch (input.scalar_type()) {
    case ScalarType::Float: recurrence<float>(dense_decay, dense_input, states); break;
    case ScalarType::Double: recurrence<double>(dense_decay, dense_input, states); break;
    case ScalarType::Half: recurrence<torch::headeronly::Half, float>(dense_decay, dense_input, states); break;
    case ScalarType::BFloat16: recurrence<torch::headeronly::BFloat16, float>(dense_decay, dense_input, states); break;
    default: STD_TORCH_CHECK(false, "linear_recurrence computes in floating point");
  }
  return states;
}

STABLE_TORCH_LIBRARY(scan, m) { m.def("linear_recurrence(Tensor decay, Tensor input) -> Tensor"); }

STABLE_TORCH_LIBRARY_IMPL(scan, CPU, m) { m.impl("linear_recurrence", TORCH_BOX(&linear_recurrence)); }
