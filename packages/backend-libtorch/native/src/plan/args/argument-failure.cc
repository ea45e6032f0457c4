// Writes the message of a refused argument.
#include "plan/args/argument-failure.h"

#include "failure.h"

namespace pt2 {

void refuseArgument(const std::string& op, const std::string& name, const std::string& what) {
  Failure failure("libtorch.argument", "`" + op + "`: argument `" + name + "` " + what + ".");
  failure.arg = name;
  throw failure;
}

}  // namespace pt2
