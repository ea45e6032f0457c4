#include <algorithm>
#include <vector>

#include "plan/args/checks/require.h"
#include "plan/args/checks/tables.h"

namespace pt2 {
namespace {

// (self, A, upper): batches are not broadcast here.
void choleskySolve(const CallArguments& call) {
  const at::Tensor b = call.tensor(0);
  const at::Tensor a = call.tensor(1);
  if (!a.defined() || !b.defined()) return;
  require(a.dim() >= 2 && a.size(-1) == a.size(-2), call, "A", "must be square");
  require(b.dim() == a.dim() && b.size(-2) == a.size(-1), call, "self", "has not as many rows as `A`");
  require(b.sizes().slice(0, b.sizes().size() - 2) == a.sizes().slice(0, a.sizes().size() - 2), call, "A", "has another batch than `self`");
}

// (LU_data, LU_pivots, unpack_data, unpack_pivots)
void luUnpack(const CallArguments& call) {
  const at::Tensor lu = call.tensor(0);
  if (!lu.defined() || lu.dim() < 2) return;
  std::vector<int64_t> sizes(lu.sizes().begin(), lu.sizes().end() - 2);
  sizes.push_back(std::min(lu.size(-2), lu.size(-1)));
  if (call.integer(3, 1) != 0) requireSizes(call, "LU_pivots", call.tensor(1), sizes);
}

// LAPACK does not come back from infinities and NaN in one piece.
void eigenvalues(const CallArguments& call) {
  const at::Tensor a = call.tensor(0);
  if (!a.defined() || !(c10::isFloatingType(a.scalar_type()) || c10::isComplexType(a.scalar_type()))) return;
  require(a.isfinite().all().item<bool>(), call, "self", "has infinities or NaN");
}

// (input, coefficients): a weighted sum over the first dimension of input, for each row of coefficients.
void linearCombination(const CallArguments& call) {
  const at::Tensor input = call.tensor(0);
  const at::Tensor coefficients = call.tensor(1);
  if (!input.defined() || !coefficients.defined()) return;
  requireDims(call, "coefficients", coefficients, 2);
  require(input.dim() > 0 && coefficients.size(1) == input.size(0), call, "coefficients", "has not a column for each term");
  require(input.scalar_type() == coefficients.scalar_type(), call, "coefficients", "is of another dtype than `input`");
  const at::Tensor out = call.tensor(2);
  require(!out.defined() || out.scalar_type() == input.scalar_type(), call, "out", "is of another dtype than `input`");
}

// (self, dim, out)
void logCumulate(const CallArguments& call) {
  const at::Tensor self = call.tensor(0);
  const at::Tensor out = call.tensor(2);
  if (self.defined() && out.defined()) require(self.scalar_type() == out.scalar_type(), call, "out", "is of another dtype");
}

// (self, diagonal, out): matrices of a batch follow each other.
void triangle(const CallArguments& call) {
  const at::Tensor out = call.tensor(2);
  require(!out.defined() || out.is_contiguous(), call, "out", "is not contiguous");
}

// (self, p)
void pairDistances(const CallArguments& call) { requireDims(call, "self", call.tensor(0), 2); }

// Their value is a sum over as many terms as their degree, which nothing can stop.
void requireDegree(const CallArguments& call, const c10::IValue& degree) {
  constexpr double kMost = 1e6;
  if (degree.isInt() || degree.isDouble()) {
    require(!(degree.toScalar().toDouble() > kMost), call, "n", "is beyond a million");
  } else if (degree.isTensor() && degree.toTensor().defined() && degree.toTensor().numel() > 0 && degree.toTensor().is_cpu()) {
    const at::Tensor n = degree.toTensor();
    require(n.layout() != c10::kStrided || n.is_complex() || !n.gt(kMost).any().item<bool>(), call, "n", "is beyond a million");
  }
}

// (x, n)
void polynomial(const CallArguments& call) { requireDegree(call, call.values[1]); }

}  // namespace

const CheckTable& algebraChecks() {
  static const CheckTable table = [] {
    CheckTable checks = {
        {"aten::_cholesky_solve_helper", choleskySolve},
        {"aten::lu_unpack", luUnpack},
        {"aten::_linalg_eigvals", eigenvalues},
        {"aten::_compute_linear_combination", linearCombination},
        {"aten::_pdist_forward", pairDistances},
        {"aten::_logcumsumexp", logCumulate},
        {"aten::triu", triangle},
        {"aten::tril", triangle},
    };
    for (const char* name : {"aten::special_chebyshev_polynomial_t", "aten::special_chebyshev_polynomial_u",
                             "aten::special_chebyshev_polynomial_v", "aten::special_chebyshev_polynomial_w",
                             "aten::special_hermite_polynomial_h", "aten::special_hermite_polynomial_he",
                             "aten::special_laguerre_polynomial_l", "aten::special_legendre_polynomial_p",
                             "aten::special_shifted_chebyshev_polynomial_t", "aten::special_shifted_chebyshev_polynomial_u",
                             "aten::special_shifted_chebyshev_polynomial_v", "aten::special_shifted_chebyshev_polynomial_w"}) {
      checks.emplace(name, polynomial);
    }
    return checks;
  }();
  return table;
}

}  // namespace pt2
