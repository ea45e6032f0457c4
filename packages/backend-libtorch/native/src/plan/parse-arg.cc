// Reads one argument of a node or an eager call from JavaScript.
#include "plan/parse-arg.h"

#include <c10/core/Layout.h>
#include <c10/core/MemoryFormat.h>

#include <cmath>
#include <unordered_map>

#include "check.h"
#include "dtype.h"
#include "plan/plan-error.h"
#include "value.h"

namespace pt2 {
namespace {

using Kind = ArgSource::Kind;

// No schema nests lists deeper than two levels; deeper lists would overflow the C++ stack.
constexpr int kMaxListDepth = 8;

const std::unordered_map<std::string, Kind> kKinds = {
    {"none", Kind::None},       {"slot", Kind::Slot},     {"int", Kind::Int},
    {"float", Kind::Float},     {"bool", Kind::Bool},     {"string", Kind::String},
    {"complex", Kind::Complex}, {"dtype", Kind::DType},   {"device", Kind::Device},
    {"layout", Kind::Layout},   {"graph", Kind::Graph},   {"memory_format", Kind::MemoryFormat},
    {"list", Kind::List},       {"tensor", Kind::Tensor},
};

const std::unordered_map<std::string, c10::Layout> kLayouts = {
    {"strided", c10::Layout::Strided},      {"sparse_coo", c10::Layout::Sparse},
    {"sparse_csr", c10::Layout::SparseCsr}, {"sparse_csc", c10::Layout::SparseCsc},
    {"sparse_bsr", c10::Layout::SparseBsr}, {"sparse_bsc", c10::Layout::SparseBsc},
    {"_mkldnn", c10::Layout::Mkldnn},       {"jagged", c10::Layout::Jagged},
};

const std::unordered_map<std::string, c10::MemoryFormat> kMemoryFormats = {
    {"contiguous_format", c10::MemoryFormat::Contiguous},
    {"channels_last", c10::MemoryFormat::ChannelsLast},
    {"channels_last_3d", c10::MemoryFormat::ChannelsLast3d},
    {"preserve_format", c10::MemoryFormat::Preserve},
};

template <class T>
int64_t named(const std::unordered_map<std::string, T>& names, Napi::Value value, const char* what) {
  const std::string name = readString(value, what);
  const auto found = names.find(name);
  if (found == names.end()) refusePlan(std::string("\"") + name + "\" is no " + what);
  return static_cast<int64_t>(found->second);
}

int64_t parseInt(Napi::Value value) {
  if (!value.IsBigInt()) return readInteger(value, "an int", INT64_MIN);
  bool lossless = false;
  const int64_t integer = value.As<Napi::BigInt>().Int64Value(&lossless);
  if (!lossless) refusePlan("an int is beyond 64 bits");
  return integer;
}

double parseNumber(Napi::Value value) {
  if (!value.IsNumber()) refusePlan("a float is not a number");
  return value.As<Napi::Number>().DoubleValue();
}

ArgSource parse(Napi::Value value, ArgOrigin origin, int depth);

std::vector<ArgSource> parseItems(Napi::Value value, ArgOrigin origin, int depth) {
  if (depth >= kMaxListDepth) refusePlan("lists are nested too deeply");
  return readElements(readArray(value, "items of a list"),
                      [&](Napi::Value item) { return parse(item, origin, depth + 1); });
}

ArgSource parse(Napi::Value value, ArgOrigin origin, int depth) {
  const Napi::Object object = readObject(value, "an argument");
  const std::string kind = readString(object.Get("kind"), "kind of an argument");
  const auto found = kKinds.find(kind);
  if (found == kKinds.end()) refusePlan("\"" + kind + "\" is no kind of argument");

  ArgSource arg;
  arg.kind = found->second;
  const bool eager = origin == ArgOrigin::EagerCall;
  if (eager ? arg.kind == Kind::Slot || arg.kind == Kind::Graph : arg.kind == Kind::Tensor) {
    refusePlan("an argument of kind \"" + kind + "\" has no meaning here");
  }
  switch (arg.kind) {
    case Kind::None: break;
    case Kind::Slot: arg.integer = parseIndex(object.Get("slot"), "a slot"); break;
    case Kind::Graph: arg.integer = parseIndex(object.Get("graph"), "a graph"); break;
    case Kind::Int: arg.integer = parseInt(object.Get("value")); break;
    case Kind::Float: arg.real = parseNumber(object.Get("value")); break;
    case Kind::Bool: arg.integer = readBool(object.Get("value"), "a bool") ? 1 : 0; break;
    case Kind::String: arg.text = readString(object.Get("value"), "a string"); break;
    case Kind::Device: arg.text = readString(object.Get("value"), "a device"); break;
    case Kind::DType: arg.integer = static_cast<int64_t>(parseDtype(readString(object.Get("value"), "a dtype"))); break;
    case Kind::Layout: arg.integer = named(kLayouts, object.Get("value"), "layout"); break;
    case Kind::MemoryFormat: arg.integer = named(kMemoryFormats, object.Get("value"), "memory format"); break;
    case Kind::List: arg.items = parseItems(object.Get("items"), origin, depth); break;
    case Kind::Complex:
      arg.real = parseNumber(object.Get("re"));
      arg.imag = parseNumber(object.Get("im"));
      break;
    case Kind::Tensor: {
      const c10::IValue tensor = toIValue(object.Get("tensor"));
      if (!tensor.isTensor()) refusePlan("an argument of kind \"tensor\" holds none");
      arg.tensor = tensor.toTensor();
      break;
    }
  }
  return arg;
}

}  // namespace

int64_t parseIndex(Napi::Value value, const char* what) {
  const int64_t index = readInteger(value, what, 0);
  if (index > INT32_MAX) refusePlan(std::string(what) + " is out of range");
  return index;
}

ArgSource parseArg(Napi::Value value, ArgOrigin origin) { return parse(value, origin, 0); }

}  // namespace pt2
