// Describes arguments for error messages.
#include "plan/source.h"

namespace pt2 {

std::string describe(const ArgSource& arg) {
  using Kind = ArgSource::Kind;
  switch (arg.kind) {
    case Kind::None: return "None";
    case Kind::Slot: return "a computed value";
    case Kind::Int: return "the int " + std::to_string(arg.integer);
    case Kind::Float: return "the float " + std::to_string(arg.real);
    case Kind::Bool: return arg.integer != 0 ? "the bool True" : "the bool False";
    case Kind::String: return "the string \"" + arg.text.substr(0, 40) + "\"";
    case Kind::Complex: return "a complex number";
    case Kind::DType: return "a dtype";
    case Kind::Device: return "a device";
    case Kind::Layout: return "a layout";
    case Kind::MemoryFormat: return "a memory format";
    case Kind::Graph: return "a graph";
    case Kind::List: return "a list of " + std::to_string(arg.items.size());
    case Kind::Tensor: return "a tensor";
  }
  return "nothing known";
}

}  // namespace pt2
