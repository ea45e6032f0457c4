#include "plan/args/refused-ops.h"

#include <string_view>
#include <unordered_map>

#include "failure.h"

namespace pt2 {
namespace {

constexpr const char* kFiles = "it opens a file that the program names";
constexpr const char* kAddresses = "it hands out or takes memory addresses";
constexpr const char* kUnchecked = "it trusts sizes and indices that may point outside of its memory";
constexpr const char* kProcesses = "it talks to other processes";
constexpr const char* kCompiler = "it is for compilers of PyTorch, which it trusts with memory";
constexpr const char* kInternal = "it is for tests and debuggers of PyTorch";

// Without overload: all overloads.
const std::unordered_map<std::string_view, const char*> kOps = {
    {"aten::from_file", kFiles},
    {"debugprims::load_tensor", kFiles},
    {"mkldnn::data_ptr", kAddresses},
    {"aten::_reshape_alias", kUnchecked},
    {"aten::_reshape_alias_copy", kUnchecked},
    {"aten::_nested_view_from_buffer", kUnchecked},
    {"aten::_nested_view_from_buffer_copy", kUnchecked},
    {"aten::_nested_view_from_jagged", kUnchecked},
    {"aten::_nested_view_from_jagged_copy", kUnchecked},
    {"aten::_sparse_coo_tensor_unsafe", kUnchecked},
    {"aten::_sparse_coo_tensor_with_dims_and_tensors", kUnchecked},
    {"aten::_sparse_compressed_tensor_unsafe", kUnchecked},
    {"aten::_sparse_csr_tensor_unsafe", kUnchecked},
    {"aten::_sparse_csc_tensor_unsafe", kUnchecked},
    {"aten::_sparse_bsr_tensor_unsafe", kUnchecked},
    {"aten::_sparse_bsc_tensor_unsafe", kUnchecked},
};

const std::unordered_map<std::string_view, const char*> kNamespaces = {
    {"c10d", kProcesses},
    {"_c10d_functional", kProcesses},
    {"_c10d_functional_autograd", kProcesses},
    {"c10d_functional", kProcesses},
    {"symm_mem", kProcesses},
    {"_dtensor", kProcesses},
    {"inductor", kCompiler},
    {"static_runtime", kCompiler},
    {"_test", kInternal},
    {"profiler", kInternal},
    {"debug_mode_ops", kInternal},
};

}  // namespace

const char* refusalOf(const std::string& op) {
  const std::string_view name = op;
  const size_t colon = name.find("::");
  if (colon == std::string_view::npos) return nullptr;
  const auto space = kNamespaces.find(name.substr(0, colon));
  if (space != kNamespaces.end()) return space->second;
  const auto found = kOps.find(name.substr(0, name.find('.', colon)));
  return found == kOps.end() ? nullptr : found->second;
}

void checkAllowed(const std::string& op) {
  const char* reason = refusalOf(op);
  if (reason != nullptr) {
    throw Failure("libtorch.refused-op", "The op `" + op + "` is not run for programs, because " + reason + ".");
  }
}

}  // namespace pt2
