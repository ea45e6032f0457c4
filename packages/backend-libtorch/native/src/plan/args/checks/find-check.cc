#include "plan/args/checks/checks.h"
#include "plan/args/checks/tables.h"

namespace pt2 {

ArgumentCheck findCheck(const std::string& op) {
  using Checks = const CheckTable& (*)();
  static constexpr Checks kTables[] = {indexChecks,     shapeChecks,   normChecks,     backwardChecks, optimizerChecks,
                                       recurrentChecks, algebraChecks, spectralChecks, viewChecks,     valueChecks};
  const std::string_view name = std::string_view(op).substr(0, op.find('.'));
  for (const Checks table : kTables) {
    const auto found = table().find(name);
    if (found != table().end()) return found->second;
  }
  return nullptr;
}

}  // namespace pt2
