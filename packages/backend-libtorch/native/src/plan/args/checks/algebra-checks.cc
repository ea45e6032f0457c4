// Checks the arguments of linear algebra, and the degrees of polynomials.
#include <algorithm>
#include <vector>

#include "plan/args/checks/require.h"
#include "plan/args/checks/tables.h"

namespace pt2 {
namespace {

// These kernels do not broadcast batches.
void choleskySolve(const Arg& self, const Arg& A) {
  const at::Tensor b = self.tensor();
  const at::Tensor a = A.tensor();
  if (!a.defined() || !b.defined()) return;
  A.require(a.dim() >= 2 && a.size(-1) == a.size(-2), "must be square");
  self.require(b.dim() == a.dim() && b.size(-2) == a.size(-1), "has not as many rows as `A`");
  const bool sameBatch = b.sizes().slice(0, b.sizes().size() - 2) == a.sizes().slice(0, a.sizes().size() - 2);
  A.require(sameBatch, "has another batch than `self`");
}

void luUnpack(const Arg& data, const Arg& pivots, const Arg& unpackPivots) {
  const at::Tensor lu = data.tensor();
  if (!lu.defined() || lu.dim() < 2 || unpackPivots.integer(1) == 0) return;
  std::vector<int64_t> sizes(lu.sizes().begin(), lu.sizes().end() - 2);
  sizes.push_back(std::min(lu.size(-2), lu.size(-1)));
  requireSizes(pivots, sizes);
}

// LAPACK can crash or not return on infinities and NaN.
void eigenvalues(const Arg& self) {
  const at::Tensor a = self.tensor();
  if (!a.defined() || !(c10::isFloatingType(a.scalar_type()) || c10::isComplexType(a.scalar_type()))) return;
  self.require(a.isfinite().all().item<bool>(), "has infinities or NaN");
}

// The op computes a weighted sum over the first dimension of `input`, for each row of `coefficients`.
void linearCombination(const Arg& input, const Arg& coefficients) {
  const at::Tensor terms = input.tensor();
  const at::Tensor weights = coefficients.tensor();
  if (!terms.defined() || !weights.defined()) return;
  requireDims(coefficients, 2);
  coefficients.require(terms.dim() > 0 && weights.size(1) == terms.size(0), "has not a column for each term");
  coefficients.require(terms.scalar_type() == weights.scalar_type(), "is of another dtype than `input`");
}

void sameDtype(const Arg& input, const Arg& out) {
  if (!input.hasTensor() || !out.hasTensor()) return;
  out.require(input.tensor().scalar_type() == out.tensor().scalar_type(), "is of another dtype than the input");
}

// The kernel reads the matrices of a batch one after another.
void contiguousOut(const Arg& out) {
  out.require(!out.hasTensor() || out.tensor().is_contiguous(), "is not contiguous");
}

void pairDistances(const Arg& self) { requireDims(self, 2); }

// A polynomial's value is a sum over as many terms as its degree, and the loop cannot be interrupted.
void degree(const Arg& n) {
  constexpr double kMost = 1e6;
  constexpr const char* kTooLarge = "is beyond a million";
  const c10::IValue& value = n.value();
  if (value.isInt() || value.isDouble()) {
    n.require(!(value.toScalar().toDouble() > kMost), kTooLarge);
  } else if (value.isTensor() && value.toTensor().defined() && value.toTensor().numel() > 0 &&
             value.toTensor().is_cpu()) {
    const at::Tensor& degrees = value.toTensor();
    const bool comparable = degrees.layout() == c10::kStrided && !degrees.is_complex();
    n.require(!comparable || !degrees.gt(kMost).any().item<bool>(), kTooLarge);
  }
}

}  // namespace

const CheckTable& algebraChecks() {
  static const CheckTable table = {
      {{"aten::_cholesky_solve_helper", "aten::_cholesky_solve_helper.out"}, {reads<choleskySolve>("self", "A")}},
      {{"aten::lu_unpack", "aten::lu_unpack.out"}, {reads<luUnpack>("LU_data", "LU_pivots", "unpack_pivots")}},
      {{"aten::_linalg_eigvals"}, {reads<eigenvalues>("self")}},
      {{"aten::_compute_linear_combination"}, {reads<linearCombination>("input", "coefficients")}},
      {{"aten::_compute_linear_combination.out"},
       {reads<linearCombination>("input", "coefficients"), reads<sameDtype>("input", "out")}},
      {{"aten::_pdist_forward", "aten::_pdist_forward.out"}, {reads<pairDistances>("self")}},
      {{"aten::_logcumsumexp"}, {}},
      {{"aten::_logcumsumexp.out"}, {reads<sameDtype>("self", "out")}},
      {{"aten::triu", "aten::tril"}, {}},
      {{"aten::triu.out", "aten::tril.out"}, {reads<contiguousOut>("out")}},
      {{"aten::special_chebyshev_polynomial_t", "aten::special_chebyshev_polynomial_t.out",
        "aten::special_chebyshev_polynomial_t.x_scalar", "aten::special_chebyshev_polynomial_t.x_scalar_out",
        "aten::special_chebyshev_polynomial_t.n_scalar", "aten::special_chebyshev_polynomial_t.n_scalar_out"},
       {reads<degree>("n")}},
      {{"aten::special_chebyshev_polynomial_u", "aten::special_chebyshev_polynomial_u.out",
        "aten::special_chebyshev_polynomial_u.x_scalar", "aten::special_chebyshev_polynomial_u.x_scalar_out",
        "aten::special_chebyshev_polynomial_u.n_scalar", "aten::special_chebyshev_polynomial_u.n_scalar_out"},
       {reads<degree>("n")}},
      {{"aten::special_chebyshev_polynomial_v", "aten::special_chebyshev_polynomial_v.out",
        "aten::special_chebyshev_polynomial_v.x_scalar", "aten::special_chebyshev_polynomial_v.x_scalar_out",
        "aten::special_chebyshev_polynomial_v.n_scalar", "aten::special_chebyshev_polynomial_v.n_scalar_out"},
       {reads<degree>("n")}},
      {{"aten::special_chebyshev_polynomial_w", "aten::special_chebyshev_polynomial_w.out",
        "aten::special_chebyshev_polynomial_w.x_scalar", "aten::special_chebyshev_polynomial_w.x_scalar_out",
        "aten::special_chebyshev_polynomial_w.n_scalar", "aten::special_chebyshev_polynomial_w.n_scalar_out"},
       {reads<degree>("n")}},
      {{"aten::special_hermite_polynomial_h", "aten::special_hermite_polynomial_h.out",
        "aten::special_hermite_polynomial_h.x_scalar", "aten::special_hermite_polynomial_h.x_scalar_out",
        "aten::special_hermite_polynomial_h.n_scalar", "aten::special_hermite_polynomial_h.n_scalar_out"},
       {reads<degree>("n")}},
      {{"aten::special_hermite_polynomial_he", "aten::special_hermite_polynomial_he.out",
        "aten::special_hermite_polynomial_he.x_scalar", "aten::special_hermite_polynomial_he.x_scalar_out",
        "aten::special_hermite_polynomial_he.n_scalar", "aten::special_hermite_polynomial_he.n_scalar_out"},
       {reads<degree>("n")}},
      {{"aten::special_laguerre_polynomial_l", "aten::special_laguerre_polynomial_l.out",
        "aten::special_laguerre_polynomial_l.x_scalar", "aten::special_laguerre_polynomial_l.x_scalar_out",
        "aten::special_laguerre_polynomial_l.n_scalar", "aten::special_laguerre_polynomial_l.n_scalar_out"},
       {reads<degree>("n")}},
      {{"aten::special_legendre_polynomial_p", "aten::special_legendre_polynomial_p.out",
        "aten::special_legendre_polynomial_p.x_scalar", "aten::special_legendre_polynomial_p.x_scalar_out",
        "aten::special_legendre_polynomial_p.n_scalar", "aten::special_legendre_polynomial_p.n_scalar_out"},
       {reads<degree>("n")}},
      {{"aten::special_shifted_chebyshev_polynomial_t", "aten::special_shifted_chebyshev_polynomial_t.out",
        "aten::special_shifted_chebyshev_polynomial_t.x_scalar",
        "aten::special_shifted_chebyshev_polynomial_t.x_scalar_out",
        "aten::special_shifted_chebyshev_polynomial_t.n_scalar",
        "aten::special_shifted_chebyshev_polynomial_t.n_scalar_out"},
       {reads<degree>("n")}},
      {{"aten::special_shifted_chebyshev_polynomial_u", "aten::special_shifted_chebyshev_polynomial_u.out",
        "aten::special_shifted_chebyshev_polynomial_u.x_scalar",
        "aten::special_shifted_chebyshev_polynomial_u.x_scalar_out",
        "aten::special_shifted_chebyshev_polynomial_u.n_scalar",
        "aten::special_shifted_chebyshev_polynomial_u.n_scalar_out"},
       {reads<degree>("n")}},
      {{"aten::special_shifted_chebyshev_polynomial_v", "aten::special_shifted_chebyshev_polynomial_v.out",
        "aten::special_shifted_chebyshev_polynomial_v.x_scalar",
        "aten::special_shifted_chebyshev_polynomial_v.x_scalar_out",
        "aten::special_shifted_chebyshev_polynomial_v.n_scalar",
        "aten::special_shifted_chebyshev_polynomial_v.n_scalar_out"},
       {reads<degree>("n")}},
      {{"aten::special_shifted_chebyshev_polynomial_w", "aten::special_shifted_chebyshev_polynomial_w.out",
        "aten::special_shifted_chebyshev_polynomial_w.x_scalar",
        "aten::special_shifted_chebyshev_polynomial_w.x_scalar_out",
        "aten::special_shifted_chebyshev_polynomial_w.n_scalar",
        "aten::special_shifted_chebyshev_polynomial_w.n_scalar_out"},
       {reads<degree>("n")}},
  };
  return table;
}

}  // namespace pt2
