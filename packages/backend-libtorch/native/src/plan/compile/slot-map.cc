// Renumbers slots, and refuses those that are written twice or read too early.
#include "plan/compile/slot-map.h"

#include <string>

#include "plan/plan-error.h"

namespace pt2 {

std::optional<Slot> SlotMap::define(std::optional<int64_t> slot) {
  if (!slot.has_value()) return std::nullopt;
  if (*slot < 0 || *slot >= limit_) refusePlan("slot " + std::to_string(*slot) + " is out of range");
  const auto [entry, added] = dense_.emplace(*slot, static_cast<Slot>(size()));
  if (!added) refusePlan("slot " + std::to_string(*slot) + " is written twice");
  return entry->second;
}

Slot SlotMap::use(int64_t slot) const {
  const auto found = dense_.find(slot);
  if (found == dense_.end()) refusePlan("slot " + std::to_string(slot) + " is read before it is written");
  return found->second;
}

void SlotMap::renumber(ArgSource& arg) const {
  if (arg.kind == ArgSource::Kind::Slot) arg.integer = static_cast<int64_t>(use(arg.integer));
  for (ArgSource& item : arg.items) renumber(item);
}

}  // namespace pt2
