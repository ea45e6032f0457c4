// Checks the arguments of Fourier transforms. Calls of `torch.fft` always pass; the checks are for direct calls of the
// ops behind it.
#include <algorithm>
#include <vector>

#include "plan/args/checks/require.h"
#include "plan/args/checks/tables.h"

namespace pt2 {
namespace {

constexpr int64_t kNormalizations = 3;

// Requires that each dimension to transform exists and occurs once.
std::vector<int64_t> requireTransform(const Arg& self, const Arg& dim, const Arg& normalization) {
  const at::Tensor signal = self.tensor();
  const at::Tensor given = dim.integers();
  std::vector<int64_t> dims;
  for (int64_t i = 0; given.defined() && i < given.numel(); ++i) {
    const int64_t each = given[i].item<int64_t>();
    dim.require(each >= -signal.dim() && each < signal.dim(), "has an element that is no dimension of `self`");
    dims.push_back(each < 0 ? each + signal.dim() : each);
  }
  std::vector<int64_t> sorted = dims;
  std::sort(sorted.begin(), sorted.end());
  dim.require(std::unique(sorted.begin(), sorted.end()) == sorted.end(), "has a dimension twice");
  dim.require(!dims.empty() || c10::isComplexType(signal.scalar_type()), "has no dimension");
  for (const int64_t each : dims) self.require(signal.size(each) > 0, "has no elements along a dimension of `dim`");
  const int64_t mode = normalization.integer(0);
  normalization.require(mode >= 0 && mode < kNormalizations, "must be 0, 1 or 2");
  return dims;
}

void complexToComplex(const Arg& self, const Arg& dim, const Arg& normalization) {
  if (!self.hasTensor()) return;
  self.require(c10::isComplexType(self.tensor().scalar_type()), "must be complex");
  requireTransform(self, dim, normalization);
}

void realToComplex(const Arg& self, const Arg& dim, const Arg& normalization) {
  if (!self.hasTensor()) return;
  self.require(c10::isFloatingType(self.tensor().scalar_type()), "must be real");
  requireTransform(self, dim, normalization);
}

void complexToReal(const Arg& self, const Arg& dim, const Arg& normalization, const Arg& lastDimSize) {
  if (!self.hasTensor()) return;
  self.require(c10::isComplexType(self.tensor().scalar_type()), "must be complex");
  const std::vector<int64_t> dims = requireTransform(self, dim, normalization);
  const int64_t last = lastDimSize.integer(0);
  const bool fits = !dims.empty() && last >= 1 && self.tensor().size(dims.back()) == last / 2 + 1;
  lastDimSize.require(fits, "does not fit `self`, which holds half of the spectrum");
}

template <bool Complex>
void resultDtype(const Arg& out) {
  out.require(!out.hasTensor() || c10::isComplexType(out.tensor().scalar_type()) == Complex,
              "is of another dtype than the result");
}

}  // namespace

const CheckTable& spectralChecks() {
  static const CheckTable table = {
      {{"aten::_fft_c2c"}, {reads<complexToComplex>("self", "dim", "normalization")}},
      {{"aten::_fft_c2c.out"},
       {reads<complexToComplex>("self", "dim", "normalization"), reads<resultDtype<true>>("out")}},
      {{"aten::_fft_r2c"}, {reads<realToComplex>("self", "dim", "normalization")}},
      {{"aten::_fft_r2c.out"}, {reads<realToComplex>("self", "dim", "normalization"), reads<resultDtype<true>>("out")}},
      {{"aten::_fft_c2r"}, {reads<complexToReal>("self", "dim", "normalization", "last_dim_size")}},
      {{"aten::_fft_c2r.out"},
       {reads<complexToReal>("self", "dim", "normalization", "last_dim_size"), reads<resultDtype<false>>("out")}},
  };
  return table;
}

}  // namespace pt2
