#include "plan/writes.h"

#include <ATen/core/enum_tag.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace pt2 {
namespace {

// Running statistics, updated in training mode by ops whose schemas are older than alias annotations.
const std::vector<std::string_view> kStatistics = {"running_mean", "running_var"};
const std::unordered_set<std::string_view> kUndeclared = {
    "aten::batch_norm",           "aten::native_batch_norm", "aten::_batch_norm_impl_index",
    "aten::cudnn_batch_norm",     "aten::miopen_batch_norm", "aten::instance_norm",
    "aten::batch_norm_gather_stats", "aten::batch_norm_gather_stats_with_counts", "aten::batch_norm_update_stats",
};

// These replace the storage or its size, which the views of a variable see.
const std::unordered_set<std::string_view> kStorageOps = {"aten::resize_", "aten::resize_as_", "aten::set_"};

}  // namespace

std::vector<uint32_t> writtenArguments(const c10::OperatorHandle& handle) {
  const c10::FunctionSchema& schema = handle.schema();
  const bool undeclared = kUndeclared.count(schema.name()) != 0;
  std::vector<uint32_t> written;
  for (uint32_t i = 0; i < schema.arguments().size(); ++i) {
    const c10::Argument& argument = schema.arguments()[i];
    const bool declared = argument.alias_info() != nullptr && argument.alias_info()->isWrite();
    const bool statistic = undeclared && std::find(kStatistics.begin(), kStatistics.end(), argument.name()) !=
                                             kStatistics.end();
    if (declared || statistic) written.push_back(i);
  }
  return written;
}

bool writesContents(const c10::OperatorHandle& handle) {
  return !handle.hasTag(at::Tag::inplace_view) || kStorageOps.count(handle.schema().name()) != 0;
}

bool mayDrawRandomNumbers(const c10::OperatorHandle& handle) {
  // Libraries of users need not set tags.
  return handle.hasTag(at::Tag::nondeterministic_seeded) || handle.schema().name().rfind("aten::", 0) != 0;
}

}  // namespace pt2
