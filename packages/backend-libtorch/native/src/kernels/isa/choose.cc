// Chooses the kernels for the instructions that this CPU has.
#include <ATen/Version.h>

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

}  // namespace pt2
