// Chooses the kernels for the instructions that this CPU has.
#include <ATen/Version.h>

#include "../table.h"

namespace pt2 {

const Kernels& kernels() {
  // ATen's own answer, so that its environment variable limits both. Its levels ask for what ours ask for.
  static const Kernels& chosen = []() -> const Kernels& {
#if defined(__x86_64__)
    const std::string capability = at::get_cpu_capability();
    if (capability.rfind("AVX512", 0) == 0) return avx512::kKernels;
    if (capability == "AVX2") return avx2::kKernels;
#endif
    return portable::kKernels;
  }();
  return chosen;
}

}  // namespace pt2
