// Checks of indices, lengths and shapes that some of libtorch's CPU kernels do not check themselves: with wrong ones
// they would read or write outside of their tensors. The checks run before the kernel.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <string>
#include <vector>

#include "plan/args/checks/require.h"

namespace pt2 {

// The checks of one op, with the indices of the arguments that they read in its schema.
class ArgumentChecks {
 public:
  ArgumentChecks() = default;
  // Throws Failure `libtorch.schema` for an op that needs checks of its arguments if its schema lacks one that they
  // read.
  explicit ArgumentChecks(const c10::FunctionSchema& schema);

  bool empty() const { return checks_.empty(); }
  // Throws Failure `libtorch.argument` for arguments that the kernel must not get. Values are in the schema's order.
  void operator()(const std::string& op, const std::vector<c10::IValue>& values) const;

 private:
  struct Place {
    const char* name;
    uint32_t index;
  };
  struct Check {
    void (*run)(Args arguments);
    std::vector<Place> reads;
  };

  std::vector<Check> checks_;
};

}  // namespace pt2
