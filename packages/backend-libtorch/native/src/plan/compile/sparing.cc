// Tells by the op's name.
#include "plan/compile/sparing.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace pt2 {
namespace {

/// Ops that read and write each element about once take 1 ms for so many. OpenMP's threads need as long to wake, and
/// then look for more work on a processor that the next kernel needs.
constexpr int64_t kLight = int64_t{1} << 22;
/// A product of matrices with n elements together has (n / 2)^1.5 multiplications at most, here 0.8 ms of them.
constexpr int64_t kHeavy = int64_t{1} << 18;

/// Parts of names of ops that compute much with each element.
// clang-format off: versions of it break such lists in other places
constexpr auto kHeavyNames = std::to_array<std::string_view>({
    // products
    "mm", "matmul", "mv", "dot", "einsum", "linear", "kron", "outer", "cdist", "pdist", "cov", "corrcoef", "conv",
    "lstm", "gru", "rnn", "attention", "embedding_bag",
    // decompositions
    "linalg", "cholesky", "svd", "qr", "lu_solve", "lu_unpack", "lu_with_info", "inverse", "logdet", "solve", "lstsq",
    "matrix_", "householder", "fft", "stft",
    // orders
    "sort", "topk", "kthvalue", "median", "unique", "quantile", "histc", "multinomial",
    // much for each element
    "grid_sampler", "ctc_loss", "igamma",
});
/// Parts of names that contain one of those, of ops that read and write each element about once all the same.
constexpr auto kLightNames = std::to_array<std::string_view>({
    "linalg_vector_norm", "linalg_vecdot", "linalg_cross", "linalg_diagonal",
});
// clang-format on

}  // namespace

int64_t elementsForThreads(const c10::OperatorHandle& op) {
  const std::string_view name = op.schema().name();
  constexpr std::string_view kAten = "aten::";
  if (!name.starts_with(kAten)) return 0;
  const auto contains = [&](std::string_view word) { return name.find(word, kAten.size()) != std::string_view::npos; };
  const bool heavy = std::any_of(kHeavyNames.begin(), kHeavyNames.end(), contains) &&
                     std::none_of(kLightNames.begin(), kLightNames.end(), contains);
  return heavy ? kHeavy : kLight;
}

}  // namespace pt2
