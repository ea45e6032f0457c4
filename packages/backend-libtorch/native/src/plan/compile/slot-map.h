// From a source's slot numbers to dense ones, in order of definition.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "plan/source.h"

namespace pt2 {

class SlotMap {
 public:
  explicit SlotMap(int64_t limit) : limit_(limit) {}

  // Failure `libtorch.plan` for a slot that is out of range or already defined. -1 stays.
  int32_t define(int64_t slot);
  // Failure `libtorch.plan` for a slot that is not defined yet.
  int32_t use(int64_t slot) const;
  // Renumbers every slot in an argument that is read.
  void renumber(ArgSource& arg) const;
  int32_t size() const { return static_cast<int32_t>(dense_.size()); }

 private:
  int64_t limit_;
  std::unordered_map<int64_t, int32_t> dense_;
};

}  // namespace pt2
