#include <algorithm>
#include <vector>

#include "plan/args/checks/require.h"
#include "plan/args/checks/tables.h"

namespace pt2 {
namespace {

constexpr int64_t kNormalizations = 3;

// The dimensions to transform: each once. What follows from `torch.fft` fits always; these are the ops behind it.
std::vector<int64_t> requireTransform(const CallArguments& call, const at::Tensor& self, bool complexResult) {
  const at::Tensor given = call.integers(1);
  std::vector<int64_t> dims;
  for (int64_t i = 0; given.defined() && i < given.numel(); ++i) {
    const int64_t dim = given[i].item<int64_t>();
    require(dim >= -self.dim() && dim < self.dim(), call, "dim", "has an element that is no dimension of `self`");
    dims.push_back(dim < 0 ? dim + self.dim() : dim);
  }
  std::vector<int64_t> sorted = dims;
  std::sort(sorted.begin(), sorted.end());
  require(std::unique(sorted.begin(), sorted.end()) == sorted.end(), call, "dim", "has a dimension twice");
  require(!dims.empty() || c10::isComplexType(self.scalar_type()), call, "dim", "has no dimension");
  for (const int64_t dim : dims) require(self.size(dim) > 0, call, "self", "has no elements along a dimension of `dim`");
  const int64_t normalization = call.integer(2, 0);
  require(normalization >= 0 && normalization < kNormalizations, call, "normalization", "must be 0, 1 or 2");
  const at::Tensor out = call.tensor(4);
  require(!out.defined() || c10::isComplexType(out.scalar_type()) == complexResult, call, "out",
          "is of another dtype than the result");
  return dims;
}

// (self, dim, normalization, forward, out)
void complexToComplex(const CallArguments& call) {
  const at::Tensor self = call.tensor(0);
  if (!self.defined()) return;
  require(c10::isComplexType(self.scalar_type()), call, "self", "must be complex");
  requireTransform(call, self, true);
}

// (self, dim, normalization, onesided, out)
void realToComplex(const CallArguments& call) {
  const at::Tensor self = call.tensor(0);
  if (!self.defined()) return;
  require(c10::isFloatingType(self.scalar_type()), call, "self", "must be real");
  requireTransform(call, self, true);
}

// (self, dim, normalization, last_dim_size, out)
void complexToReal(const CallArguments& call) {
  const at::Tensor self = call.tensor(0);
  if (!self.defined()) return;
  require(c10::isComplexType(self.scalar_type()), call, "self", "must be complex");
  const std::vector<int64_t> dims = requireTransform(call, self, false);
  const int64_t last = call.integer(3, 0);
  const bool fits = !dims.empty() && last >= 1 && self.size(dims.back()) == last / 2 + 1;
  require(fits, call, "last_dim_size", "does not fit `self`, which holds half of the spectrum");
}

}  // namespace

const CheckTable& spectralChecks() {
  static const CheckTable table = {
      {"aten::_fft_c2c", complexToComplex},
      {"aten::_fft_r2c", realToComplex},
      {"aten::_fft_c2r", complexToReal},
  };
  return table;
}

}  // namespace pt2
