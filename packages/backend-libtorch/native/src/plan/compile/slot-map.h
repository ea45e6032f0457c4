// Maps a source's slot numbers to dense ones, in order of definition.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "plan/args/operand.h"
#include "plan/source.h"

namespace pt2 {

class SlotMap {
 public:
  explicit SlotMap(int64_t limit) : limit_(limit) {}

  // Throws Failure `libtorch.plan` for a slot that is out of range or already defined. An absent slot stays absent.
  std::optional<Slot> define(std::optional<int64_t> slot);
  // Throws Failure `libtorch.plan` for a slot that is not defined yet.
  Slot use(int64_t slot) const;
  // Renumbers every slot in an argument.
  void renumber(ArgSource& arg) const;
  size_t size() const { return dense_.size(); }

 private:
  int64_t limit_;
  std::unordered_map<int64_t, Slot> dense_;
};

}  // namespace pt2
