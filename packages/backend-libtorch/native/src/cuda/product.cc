// Describes products to cuBLASLt, and remembers which algorithm it chose for each.
#include "cuda/product.h"

#ifdef PT2_CUDA

#include <ATen/cuda/CUDAContext.h>
#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>
#include <cublasLt.h>

#include <map>
#include <memory>
#include <mutex>
#include <tuple>

namespace pt2::cuda {
namespace {

// What NVIDIA advises for Hopper.
constexpr size_t kWorkspaceBytes = size_t{32} << 20;
constexpr uint32_t kAlignment = 16;

void check(cublasStatus_t status, const char* what) {
  TORCH_CHECK(status == CUBLAS_STATUS_SUCCESS, "CUDA error: cuBLASLt: ", what, " failed with ",
              static_cast<int>(status));
}

template <typename Handle, cublasStatus_t (*destroy)(Handle)>
struct Owned {
  Handle handle = nullptr;
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (handle != nullptr) destroy(handle);
  }
};

using Operation = Owned<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
using Preference = Owned<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;

// A matrix as cuBLAS has them: columns lie one after the other.
struct Layout : Owned<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy> {
  Layout(int64_t rows, int64_t columns, int64_t pitch) {
    check(cublasLtMatrixLayoutCreate(&handle, CUDA_R_32F, static_cast<uint64_t>(rows), static_cast<uint64_t>(columns),
                                     pitch),
          "cublasLtMatrixLayoutCreate");
  }
};

template <typename Value>
void set(const Operation& operation, cublasLtMatmulDescAttributes_t attribute, const Value& value) {
  check(cublasLtMatmulDescSetAttribute(operation.handle, attribute, &value, sizeof value),
        "cublasLtMatmulDescSetAttribute");
}

template <typename Value>
void set(const Preference& preference, cublasLtMatmulPreferenceAttributes_t attribute, const Value& value) {
  check(cublasLtMatmulPreferenceSetAttribute(preference.handle, attribute, &value, sizeof value),
        "cublasLtMatmulPreferenceSetAttribute");
}

using Key = std::tuple<int, int64_t, int64_t, int64_t, int64_t, int64_t, bool, bool>;

}  // namespace

void multiply(const Product& p) {
  const cublasLtHandle_t handle = at::cuda::getCurrentCUDABlasLtHandle();
  Operation operation;
  check(cublasLtMatmulDescCreate(&operation.handle, CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F),
        "cublasLtMatmulDescCreate");
  // Rows that follow each other are columns of the transposed matrix: dᵀ = b aᵀ.
  set(operation, CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
  if (p.bias != nullptr) {
    set(operation, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
    set(operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, p.bias);
  }
  const Layout a(p.inner, p.columns, p.b_pitch), b(p.inner, p.rows, p.a_pitch), d(p.columns, p.rows, p.columns);
  static std::mutex mutex;
  static auto* known = new std::map<Key, cublasLtMatmulAlgo_t>();
  const Key key{at::cuda::current_device(), p.rows,        p.columns, p.inner, p.a_pitch, p.b_pitch,
                p.bias != nullptr,          p.beta != 0.0f};
  cublasLtMatmulAlgo_t algorithm;
  {
    const std::lock_guard lock(mutex);
    const auto found = known->find(key);
    if (found != known->end()) {
      algorithm = found->second;
    } else {
      Preference preference;
      check(cublasLtMatmulPreferenceCreate(&preference.handle), "cublasLtMatmulPreferenceCreate");
      set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kWorkspaceBytes);
      set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, kAlignment);
      set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, kAlignment);
      set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, kAlignment);
      set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, kAlignment);
      cublasLtMatmulHeuristicResult_t result{};
      int count = 0;
      check(cublasLtMatmulAlgoGetHeuristic(handle, operation.handle, a.handle, b.handle, d.handle, d.handle,
                                           preference.handle, 1, &result, &count),
            "cublasLtMatmulAlgoGetHeuristic");
      TORCH_CHECK(count > 0, "cuBLASLt has no algorithm for a product of ", p.rows, " × ", p.inner, " × ", p.columns);
      algorithm = known->emplace(key, result.algo).first->second;
    }
  }
  const at::Tensor workspace =
      at::empty({static_cast<int64_t>(kWorkspaceBytes)}, at::device(at::kCUDA).dtype(at::kByte));
  const float alpha = 1;
  check(cublasLtMatmul(handle, operation.handle, &alpha, p.b, a.handle, p.a, b.handle, &p.beta, p.c, d.handle, p.d,
                       d.handle, &algorithm, workspace.mutable_data_ptr(), kWorkspaceBytes,
                       at::cuda::getCurrentCUDAStream()),
        "cublasLtMatmul");
}

}  // namespace pt2::cuda

#endif
