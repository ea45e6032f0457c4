// Finds the checks of an op, resolves what they read by name in its schema, and runs them.
#include "plan/args/checks/checks.h"

#include <c10/util/SmallVector.h>

#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "failure.h"
#include "plan/args/checks/tables.h"

namespace pt2 {
namespace {

std::string_view withoutOverload(std::string_view op) { return op.substr(0, op.find('.')); }

// The entries of all tables, by op.
struct CheckIndex {
  std::unordered_multimap<std::string_view, const CheckEntry*> entries;
  std::unordered_set<std::string_view> ops;  // without overloads

  CheckIndex() {
    for (const auto table : {indexChecks, shapeChecks, normChecks, backwardChecks, optimizerChecks, recurrentChecks,
                             algebraChecks, spectralChecks, viewChecks, valueChecks}) {
      for (const CheckEntry& entry : table()) {
        for (const std::string_view op : entry.ops) {
          entries.emplace(op, &entry);
          ops.insert(withoutOverload(op));
        }
      }
    }
  }
};

bool fits(const CheckEntry& entry, const c10::FunctionSchema& schema) {
  for (const NamedCheck& check : entry.checks) {
    for (const char* name : check.names) {
      if (!schema.argumentIndexWithName(name).has_value()) return false;
    }
  }
  return true;
}

}  // namespace

ArgumentChecks::ArgumentChecks(const c10::FunctionSchema& schema) {
  static const CheckIndex index;
  const std::string op = c10::toString(schema.operator_name());
  if (index.ops.count(withoutOverload(op)) == 0) return;
  auto [entry, last] = index.entries.equal_range(op);
  while (entry != last && !fits(*entry->second, schema)) ++entry;
  if (entry == last) {
    throw Failure("libtorch.schema",
                  "`" + op +
                      "` cannot be run safely: its kernels trust their arguments, and no check of them is known for "
                      "the schema that this PyTorch has, " +
                      c10::toString(schema) + ".");
  }
  for (const NamedCheck& named : entry->second->checks) {
    Check check{named.run, {}};
    for (const char* name : named.names) {
      check.reads.push_back({name, static_cast<uint32_t>(*schema.argumentIndexWithName(name))});
    }
    checks_.push_back(std::move(check));
  }
}

void ArgumentChecks::operator()(const std::string& op, const std::vector<c10::IValue>& values) const {
  constexpr unsigned kUsual = 16;
  for (const Check& check : checks_) {
    c10::SmallVector<Arg, kUsual> arguments;
    for (const Place& place : check.reads) arguments.emplace_back(op, place.name, values[place.index]);
    check.run({arguments.data(), arguments.size()});
  }
}

}  // namespace pt2
