// Indices, lengths and shapes that some of libtorch's CPU kernels take without looking: they would read or write
// outside of their tensors. They are checked here before the kernel runs.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <string>
#include <vector>

#include "plan/args/checks/require.h"

namespace pt2 {

// The checks of one op, with the places that its schema gives to the arguments they read.
class ArgumentChecks {
 public:
  ArgumentChecks() = default;
  // Failure `libtorch.schema` for an op that needs checks of its arguments, where its schema lacks one that they read.
  explicit ArgumentChecks(const c10::FunctionSchema& schema);

  bool empty() const { return checks_.empty(); }
  // Failure `libtorch.argument` for what the kernel must not be given. Values are in the schema's order.
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
