// Tells which arguments an op writes to, whether it draws random numbers, and whether it reads elements back.
#include "plan/compile/writes.h"

#include <ATen/core/enum_tag.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace pt2 {
namespace {

using Names = std::vector<std::string_view>;

const Names kStatistics = {"running_mean", "running_var"};

// The schemas of these ops are older than alias annotations, or omit what the ops write in one mode.
const std::unordered_map<std::string_view, Names> kUndeclared = {
    {"aten::batch_norm", kStatistics},
    {"aten::native_batch_norm", kStatistics},
    {"aten::_batch_norm_impl_index", kStatistics},
    {"aten::cudnn_batch_norm", kStatistics},
    {"aten::miopen_batch_norm", kStatistics},
    {"aten::instance_norm", kStatistics},
    {"aten::batch_norm_gather_stats", kStatistics},
    {"aten::batch_norm_gather_stats_with_counts", kStatistics},
    {"aten::batch_norm_update_stats", kStatistics},
    {"aten::rrelu_with_noise", {"noise"}},
    {"onednn::qlinear_pointwise", {"other"}},
    {"onednn::qconv2d_pointwise", {"qaccum"}},
    {"onednn::qconv_pointwise", {"qaccum"}},
};

// These ops replace the storage or its size, which is visible through the views of a variable.
const std::unordered_set<std::string_view> kStorageOps = {"aten::resize_", "aten::resize_as_", "aten::set_"};

}  // namespace

std::vector<uint32_t> writtenArguments(const c10::OperatorHandle& handle) {
  const c10::FunctionSchema& schema = handle.schema();
  const auto undeclared = kUndeclared.find(schema.name());
  std::vector<uint32_t> written;
  for (uint32_t i = 0; i < schema.arguments().size(); ++i) {
    const c10::Argument& argument = schema.arguments()[i];
    const bool declared = argument.alias_info() != nullptr && argument.alias_info()->isWrite();
    const bool silent =
        undeclared != kUndeclared.end() &&
        std::find(undeclared->second.begin(), undeclared->second.end(), argument.name()) != undeclared->second.end();
    if (declared || silent) written.push_back(i);
  }
  return written;
}

bool writesContents(const c10::OperatorHandle& handle) {
  return !handle.hasTag(at::Tag::inplace_view) || kStorageOps.count(handle.schema().name()) != 0;
}

bool mayDrawRandomNumbers(const c10::OperatorHandle& handle) {
  const std::string& name = handle.schema().name();
  // Users' libraries need not set tags, and some ops that can drop have none.
  return handle.hasTag(at::Tag::nondeterministic_seeded) ||
         handle.schema().argumentIndexWithName("dropout_p").has_value() ||
         !(name.starts_with("aten::") || name.starts_with("pt2::"));
}

bool readsElements(const c10::OperatorHandle& handle) { return handle.hasTag(at::Tag::data_dependent_output); }

}  // namespace pt2
