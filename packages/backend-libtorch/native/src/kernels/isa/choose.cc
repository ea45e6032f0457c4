// Chooses the kernels for the instructions that this CPU has.
#include <ATen/Version.h>

#include "../processor.h"
#include "../table.h"

namespace pt2 {

const Kernels& kernels() {
  // ATen's own choice is used, so that its environment variable limits both. Its levels require what ours require.
  static const Kernels& chosen = []() -> const Kernels& {
#if defined(__x86_64__)
    const std::string capability = at::get_cpu_capability();
    if (capability.starts_with("AVX512")) return avx512::kKernels;
    if (capability == "AVX2") return avx2::kKernels;
#endif
    return portable::kKernels;
  }();
  return chosen;
}

bool multiplies_bfloat16() {
#if defined(__x86_64__)
  static const bool multiplies = &kernels() == &avx512::kKernels && __builtin_cpu_supports("avx512bf16");
  return multiplies;
#else
  return false;
#endif
}

}  // namespace pt2
