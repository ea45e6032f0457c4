// Converts values of programs from and to JavaScript.
#include "value.h"

#include <algorithm>

#include "check.h"
#include "failure.h"
#include "tensor-object.h"

namespace pt2 {
namespace {

// Lists nest at most this deeply. No schema has more than two levels; a list that contains itself has no end.
constexpr int kMaxDepth = 8;

c10::IValue convert(Napi::Value value, int depth);

template <class T>
c10::IValue listOf(const std::vector<c10::IValue>& items) {
  c10::List<T> list;
  list.reserve(items.size());
  for (const c10::IValue& item : items) list.push_back(item.to<T>());
  return list;
}

template <class Predicate>
bool all(const std::vector<c10::IValue>& items, Predicate predicate) {
  return std::all_of(items.begin(), items.end(), predicate);
}

// A list whose items have one type has that type in libtorch; other lists are generic.
c10::IValue convertList(Napi::Array array, int depth) {
  std::vector<c10::IValue> items = readElements(array, [&](Napi::Value item) { return convert(item, depth + 1); });
  if (!items.empty()) {
    if (all(items, [](const c10::IValue& item) { return item.isTensor(); })) return listOf<at::Tensor>(items);
    if (all(items, [](const c10::IValue& item) { return item.isInt(); })) return listOf<int64_t>(items);
    if (all(items, [](const c10::IValue& item) { return item.isDouble(); })) return listOf<double>(items);
    if (all(items, [](const c10::IValue& item) { return item.isBool(); })) return listOf<bool>(items);
  }
  c10::impl::GenericList list(c10::AnyType::get());
  for (c10::IValue& item : items) list.push_back(std::move(item));
  return list;
}

c10::IValue convertBigInt(Napi::BigInt value) {
  bool lossless = false;
  const int64_t integer = value.Int64Value(&lossless);
  if (!lossless) refuse("an integer", "between -2^63 and 2^63 - 1");
  return integer;
}

c10::IValue convertObject(Napi::Object object) {
  if (TensorObject* tensor = TensorObject::find(object)) return tensor->tensor();
  const Napi::Value re = object.Get("re");
  const Napi::Value im = object.Get("im");
  if (!re.IsNumber() || !im.IsNumber())
    refuse("a value", "a tensor, bigint, number, boolean, string, null, {re, im} or a list");
  return c10::complex<double>(re.As<Napi::Number>().DoubleValue(), im.As<Napi::Number>().DoubleValue());
}

c10::IValue convert(Napi::Value value, int depth) {
  if (depth > kMaxDepth) refuse("a value", "a list of at most 8 levels");
  switch (value.Type()) {
    case napi_null: return {};
    case napi_boolean: return value.As<Napi::Boolean>().Value();
    case napi_number: return value.As<Napi::Number>().DoubleValue();
    case napi_bigint: return convertBigInt(value.As<Napi::BigInt>());
    case napi_string: return value.As<Napi::String>().Utf8Value();
    case napi_object:
      return value.IsArray() ? convertList(value.As<Napi::Array>(), depth) : convertObject(value.As<Napi::Object>());
    default: refuse("a value", "a tensor, bigint, number, boolean, string, null, {re, im} or a list");
  }
}

template <class List>
Napi::Value fromList(Napi::Env env, const List& list) {
  Napi::Array array = Napi::Array::New(env, list.size());
  uint32_t i = 0;
  for (const c10::IValue& item : list) array.Set(i++, fromIValue(env, item));
  return array;
}

Napi::Value fromComplex(Napi::Env env, c10::complex<double> value) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("re", value.real());
  object.Set("im", value.imag());
  return object;
}

// How many bytes V8 is told that the object holds. A view that repeats its elements may describe more than any memory
// holds.
int64_t heldBytes(const at::Tensor& tensor) {
  if (!tensor.is_cpu() || !tensor.has_storage() || tensor.storage().data() == nullptr) return 0;
  return static_cast<int64_t>(std::min(tensor.nbytes(), tensor.storage().nbytes()));
}

}  // namespace

c10::IValue toIValue(Napi::Value value) { return convert(value, 0); }

std::vector<c10::IValue> toIValues(Napi::Value value, const char* what) {
  return readElements(readArray(value, what), toIValue);
}

Napi::Value fromTensor(Napi::Env env, const at::Tensor& tensor) {
  if (!tensor.defined()) return env.Null();
  // A tensor without plain elements, such as a packed weight, can still be an input of a plan; only reading its
  // elements is refused.
  return TensorObject::make(env, tensor, heldBytes(tensor));
}

Napi::Value fromIValue(Napi::Env env, const c10::IValue& value) {
  if (value.isTensor()) return fromTensor(env, value.toTensor());
  if (value.isNone()) return env.Null();
  if (value.isInt()) return Napi::BigInt::New(env, value.toInt());
  if (value.isDouble()) return Napi::Number::New(env, value.toDouble());
  if (value.isBool()) return Napi::Boolean::New(env, value.toBool());
  if (value.isString()) return Napi::String::New(env, value.toStringRef());
  if (value.isComplexDouble()) return fromComplex(env, value.toComplexDouble());
  if (value.isDevice()) return Napi::String::New(env, value.toDevice().str());
  if (value.isSymInt()) return Napi::BigInt::New(env, value.toSymInt().guard_int(__FILE__, __LINE__));
  if (value.isSymFloat()) return Napi::Number::New(env, value.toSymFloat().guard_float(__FILE__, __LINE__));
  if (value.isSymBool()) return Napi::Boolean::New(env, value.toSymBool().guard_bool(__FILE__, __LINE__));
  if (value.isList()) return fromList(env, value.toListRef());
  if (value.isTuple()) return fromList(env, value.toTupleRef().elements());
  throw Failure("libtorch.result", "A " + value.tagKind() + " of libtorch has no counterpart in JavaScript.");
}

Napi::Value fromIValues(Napi::Env env, const std::vector<c10::IValue>& values) { return fromList(env, values); }

Napi::Value fromResults(Napi::Env env, const std::vector<c10::IValue>& values) {
  Napi::Array array = Napi::Array::New(env, values.size());
  for (uint32_t i = 0; i < values.size(); ++i) {
    const c10::IValue& value = values[i];
    const bool isTensor = value.isTensor() && value.toTensor().defined();
    array.Set(i, isTensor ? TensorObject::make(env, value.toTensor(), 0) : fromIValue(env, value));
  }
  return array;
}

}  // namespace pt2
