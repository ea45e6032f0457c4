// The exception that this module throws. Its fields reach JavaScript.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>

namespace pt2 {

struct Failure : std::runtime_error {
  Failure(std::string code, const std::string& message) : std::runtime_error(message), code(std::move(code)) {}

  std::string code;
  // The place in the plan, where there is one.
  std::optional<size_t> graph;
  std::optional<size_t> node;
  std::string arg;
};

}  // namespace pt2
