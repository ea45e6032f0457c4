// Clones the arguments that an op writes to, calls the op, and returns the clones.
#include "plan/control/functionalized.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/jit_type.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "failure.h"
#include "plan/args/resolve.h"

namespace pt2 {
namespace {

using Values = std::vector<c10::IValue>;

[[noreturn]] void refuse(const std::string& op, const std::string& what) {
  throw Failure("libtorch.control", "A functional form of `" + op + "` is not as PyTorch writes it: " + what + ".");
}

// Returns a copy of all memory that the tensor reaches from the storage's beginning, with the same sizes and strides.
at::Tensor cloneWithStrides(const at::Tensor& tensor) {
  int64_t length = tensor.numel() == 0 ? 0 : tensor.storage_offset() + 1;
  for (int64_t dim = 0; length > 0 && dim < tensor.dim(); ++dim) {
    length += (tensor.size(dim) - 1) * tensor.stride(dim);
  }
  const at::Tensor memory = tensor.as_strided({length}, {1}, 0).clone();
  return memory.as_strided(tensor.sizes(), tensor.strides(), tensor.storage_offset());
}

c10::IValue cloneAny(const std::string& op, const c10::IValue& value) {
  if (value.isTensor()) return cloneWithStrides(value.toTensor());
  if (value.isNone()) return value;
  if (!value.isList()) refuse(op, "an argument that it writes to is no tensor");
  c10::impl::GenericList clones(c10::AnyType::get());
  for (const c10::IValue& item : value.toListRef()) clones.push_back(cloneAny(op, item));
  return clones;
}

std::optional<c10::IValue> take(NamedValues& args, const std::string& name) {
  const auto found = std::find_if(args.begin(), args.end(), [&](const auto& arg) { return arg.first == name; });
  if (found == args.end()) return std::nullopt;
  c10::IValue value = std::move(found->second);
  args.erase(found);
  return value;
}

c10::IValue need(const std::string& op, NamedValues& args, const std::string& name) {
  std::optional<c10::IValue> value = take(args, name);
  if (!value) refuse(op, "`" + name + "` is missing");
  return std::move(*value);
}

int64_t needInt(const std::string& op, NamedValues& args, const std::string& name) {
  const c10::IValue value = need(op, args, name);
  if (!value.isInt()) refuse(op, "`" + name + "` is no int");
  return value.toInt();
}

std::vector<int64_t> needInts(const std::string& op, NamedValues& args, const std::string& name) {
  const c10::IValue value = need(op, args, name);
  std::vector<int64_t> ints;
  if (!value.isList()) refuse(op, "`" + name + "` is no list");
  for (const c10::IValue& item : value.toListRef()) {
    if (!item.isInt()) refuse(op, "`" + name + "` holds what is no int");
    ints.push_back(item.toInt());
  }
  return ints;
}

// Returns the view that the arguments with this prefix describe.
c10::IValue viewOf(const std::string& op, NamedValues& args, const std::string& prefix, const Values& bases) {
  const c10::IValue index = need(op, args, prefix + "_base_index");
  if (index.isNone()) return {};
  if (!index.isInt() || index.toInt() < 0 || static_cast<size_t>(index.toInt()) >= bases.size()) {
    refuse(op, "`" + prefix + "_base_index` is out of range");
  }
  const c10::IValue& value = bases[static_cast<size_t>(index.toInt())];
  if (!value.isTensor()) refuse(op, "a base is no tensor");
  const at::Tensor& base = value.toTensor();
  const auto has = [&](const std::string& name) {
    return std::any_of(args.begin(), args.end(), [&](const auto& arg) { return arg.first == prefix + name; });
  };
  if (take(args, prefix + "_alias")) return base;
  if (has("_storage_offset")) {
    const std::vector<int64_t> size = needInts(op, args, prefix + "_size");
    const std::vector<int64_t> stride = needInts(op, args, prefix + "_stride");
    return base.as_strided(size, stride, needInt(op, args, prefix + "_storage_offset"));
  }
  if (!has("_slice_dim")) return base;
  const int64_t dim = needInt(op, args, prefix + "_slice_dim");
  const int64_t start = needInt(op, args, prefix + "_slice_start");
  return base.slice(dim, start, needInt(op, args, prefix + "_slice_end"));
}

c10::IValue viewsOf(const std::string& op, NamedValues& args, const std::string& prefix, const Values& bases) {
  const c10::IValue length = need(op, args, prefix + "_length");
  if (length.isNone()) return {};
  if (!length.isInt()) refuse(op, "`" + prefix + "_length` is no int");
  c10::impl::GenericList views(c10::AnyType::get());
  for (int64_t i = 0; i < length.toInt(); ++i) {
    views.push_back(viewOf(op, args, prefix + "_" + std::to_string(i), bases));
  }
  return views;
}

Values callAndAppend(const std::string& op, NamedValues args, const Values& clones) {
  Values results = callWithValues(op, std::move(args));
  if (results.empty()) results.emplace_back();
  results.insert(results.end(), clones.begin(), clones.end());
  return results;
}

}  // namespace

std::vector<c10::IValue> callOnClones(const std::string& op, NamedValues args) {
  Values clones;
  take(args, "_only_clone_these_tensors");
  for (const c10::Argument& argument : resolveOp(op).schema().arguments()) {
    if (argument.alias_info() == nullptr || !argument.alias_info()->isWrite()) continue;
    clones.push_back(cloneAny(op, need(op, args, argument.name())));
    args.emplace_back(argument.name(), clones.back());
  }
  return callAndAppend(op, std::move(args), clones);
}

std::vector<c10::IValue> callOnBases(const std::string& op, NamedValues args) {
  Values bases;
  take(args, "_only_clone_these_bases");
  const c10::IValue given = take(args, "_all_bases").value_or(c10::IValue());
  if (given.isList()) {
    for (const c10::IValue& base : given.toListRef()) bases.push_back(cloneAny(op, base));
  }
  for (const c10::Argument& argument : resolveOp(op).schema().arguments()) {
    if (argument.alias_info() == nullptr || !argument.alias_info()->isWrite()) continue;
    const std::string prefix = "_" + argument.name();
    const bool list = argTypeOf(argument).kind == ArgKind::List;
    args.emplace_back(argument.name(), list ? viewsOf(op, args, prefix, bases) : viewOf(op, args, prefix, bases));
  }
  return callAndAppend(op, std::move(args), bases);
}

}  // namespace pt2
