// Lists the ops that programs must not call, with reasons.
#include "plan/args/refused-ops.h"

#include <string_view>
#include <unordered_map>

#include "failure.h"

namespace pt2 {
namespace {

constexpr const char* kFiles = "it opens a file that the program names";
constexpr const char* kAddresses = "it hands out or takes memory addresses";
constexpr const char* kUnchecked = "it trusts sizes and indices that may point outside of its memory";
constexpr const char* kWorkspace = "it trusts a workspace that another op laid out";
constexpr const char* kPacked = "it trusts memory that another op packed";
constexpr const char* kTransforms = "it is a part of PyTorch's function transforms";
constexpr const char* kProcesses = "it talks to other processes";
constexpr const char* kCompiler = "it is for compilers of PyTorch, which it trusts with memory";
constexpr const char* kInternal = "it is for tests and debuggers of PyTorch";

// A name without overload refuses all overloads.
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
    {"aten::_nested_from_padded", kUnchecked},
    {"aten::_nested_compute_contiguous_strides_offsets", kUnchecked},
    {"aten::_batch_norm_impl_index_backward", kUnchecked},
    {"aten::_slow_conv2d_backward", kUnchecked},
    {"aten::_nnpack_spatial_convolution", kUnchecked},
    {"aten::_saturate_weight_to_fp16", kUnchecked},
    {"aten::choose_qparams_optimized", kUnchecked},
    {"aten::_add_batch_dim", kTransforms},
    {"aten::_remove_batch_dim", kTransforms},
    {"aten::_new_zeros_with_same_feature_meta", kTransforms},
    {"aten::mkldnn_rnn_layer_backward", kWorkspace},
    {"aten::_dyn_quant_matmul_4bit", kPacked},
    {"aten::_dyn_quant_pack_4bit_weight", kPacked},
    {"aten::fbgemm_linear_fp16_weight", kPacked},
    {"aten::fbgemm_linear_fp16_weight_fp32_activation", kPacked},
    {"aten::fbgemm_linear_int8_weight", kPacked},
    {"aten::fbgemm_linear_int8_weight_fp32_activation", kPacked},
    {"aten::fbgemm_linear_quantize_weight", kPacked},
    {"aten::fbgemm_pack_gemm_matrix_fp16", kPacked},
    {"aten::fbgemm_pack_quantized_matrix", kPacked},
    {"aten::quantized_lstm_cell", kPacked},
    {"aten::quantized_gru_cell", kPacked},
    {"aten::quantized_rnn_relu_cell", kPacked},
    {"aten::quantized_rnn_tanh_cell", kPacked},
    {"mkldnn::_reorder_mkldnn_rnn_layer_weight", kPacked},
    {"quantized::embedding_bag_byte_rowwise_offsets", kPacked},
    {"quantized::embedding_bag_4bit_rowwise_offsets", kPacked},
    {"quantized::embedding_bag_2bit_rowwise_offsets", kPacked},
    {"aten::_sparse_coo_tensor_unsafe", kUnchecked},
    {"aten::_sparse_coo_tensor_with_dims_and_tensors", kUnchecked},
    {"aten::_sparse_compressed_tensor_unsafe", kUnchecked},
    {"aten::_sparse_csr_tensor_unsafe", kUnchecked},
    {"aten::_sparse_csc_tensor_unsafe", kUnchecked},
    {"aten::_sparse_bsr_tensor_unsafe", kUnchecked},
    {"aten::_sparse_bsc_tensor_unsafe", kUnchecked},
};

const std::unordered_map<std::string_view, const char*> kNamespaces = {
    {"_quantized", kPacked},
    {"onednn", kPacked},
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
