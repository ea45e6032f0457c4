// A program in slots as JavaScript gives it, before it is checked against schemas.
#pragma once

#include <ATen/core/ivalue.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pt2 {

struct ArgSource {
  enum class Kind : uint8_t {
    None,
    Slot,
    Int,
    Float,
    Bool,
    String,
    Complex,
    DType,
    Device,
    Layout,
    MemoryFormat,
    Graph,
    List,
    Tensor,  // in an eager call only
  };

  Kind kind = Kind::None;
  // The value of an Int; also the number of a Slot or Graph, a Bool as 0 or 1, and c10's number of a DType, Layout or
  // MemoryFormat.
  int64_t integer = 0;
  double real = 0;  // Float, Complex
  double imag = 0;
  std::string text;  // String, Device
  std::vector<ArgSource> items;
  at::Tensor tensor;
};

struct NamedArg {
  std::string name;
  ArgSource arg;
};

// The slots of one return: one slot, those of a list, or none when no node reads it.
struct OutputSource {
  bool list = false;
  std::vector<std::optional<int64_t>> slots;
};

struct NodeSource {
  // An update is an op of the root graph that writes to bound inputs themselves. It is undone when the run fails, or is
  // the last node.
  enum class Kind : uint8_t { Op, Update, Scalar, Control, Host };

  Kind kind = Kind::Op;
  std::string op;
  std::vector<NamedArg> args;
  std::vector<OutputSource> outputs;
};

struct GraphSource {
  int64_t slots = 0;
  std::vector<std::optional<int64_t>> inputs;  // empty for an input that no node reads
  std::vector<NodeSource> nodes;
  std::vector<ArgSource> outputs;
};

struct PlanSource {
  std::vector<GraphSource> graphs;
  c10::Device device = c10::Device(c10::kCPU);
  bool sparing = false;  // whether ops that compute little take no other threads
};

// Describes an argument for a message: `a float`, `a list of 2`.
std::string describe(const ArgSource& arg);

}  // namespace pt2
