#include "plan/compile/slot-map.h"

#include <string>

#include "plan/plan-error.h"

namespace pt2 {

int32_t SlotMap::define(int64_t slot) {
  if (slot == -1) return -1;
  if (slot < 0 || slot >= limit_) refusePlan("slot " + std::to_string(slot) + " is out of range");
  const auto [entry, added] = dense_.emplace(slot, size());
  if (!added) refusePlan("slot " + std::to_string(slot) + " is written twice");
  return entry->second;
}

int32_t SlotMap::use(int64_t slot) const {
  const auto found = dense_.find(slot);
  if (found == dense_.end()) refusePlan("slot " + std::to_string(slot) + " is read before it is written");
  return found->second;
}

void SlotMap::renumber(ArgSource& arg) const {
  if (arg.kind == ArgSource::Kind::Slot) arg.integer = use(arg.integer);
  for (ArgSource& item : arg.items) renumber(item);
}

}  // namespace pt2
