// The one exception that this module throws on purpose. It reaches JavaScript with its fields.
#pragma once

#include <stdexcept>
#include <string>

namespace pt2 {

struct Failure : std::runtime_error {
  Failure(std::string code, const std::string& message) : std::runtime_error(message), code(std::move(code)) {}

  std::string code;
  // Place in the plan; -1 where there is none.
  int graph = -1;
  int node = -1;
  std::string arg;
};

}  // namespace pt2
