// Computes the operators on numbers that programs have from Python.
#include "plan/numbers/scalar-ops.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/jit_type.h>

#include <cmath>
#include <unordered_map>

#include "failure.h"
#include "plan/numbers/python-number.h"

namespace pt2 {
namespace {

using c10::IValue;
using Operands = c10::ArrayRef<IValue>;

[[noreturn]] void refuse(const std::string& what) { throw Failure("libtorch.argument", what); }

const IValue& operand(Operands operands, size_t i) {
  if (i >= operands.size()) refuse("An operator on numbers has too few operands.");
  return operands[i];
}

// `True` counts as 1 in arithmetic.
bool isInt(const IValue& value) { return value.isInt() || value.isBool(); }
int64_t intOf(const IValue& value) { return value.isBool() ? static_cast<int64_t>(value.toBool()) : value.toInt(); }
double floatOf(const IValue& value) {
  if (value.isDouble()) return value.toDouble();
  if (isInt(value)) return static_cast<double>(intOf(value));
  refuse(std::string("An operator on numbers was given a ") + value.tagKind() + ".");
}
int64_t needInt(const IValue& value) {
  if (isInt(value)) return intOf(value);
  refuse(std::string("An operator on ints was given a ") + value.tagKind() + ".");
}
bool truth(const IValue& value) { return value.isDouble() ? value.toDouble() != 0 : needInt(value) != 0; }

// Applies a function of two ints or two floats.
template <int64_t (*Ints)(int64_t, int64_t), double (*Floats)(double, double)>
IValue binary(Operands operands) {
  const IValue& a = operand(operands, 0);
  const IValue& b = operand(operands, 1);
  if (isInt(a) && isInt(b)) return Ints(intOf(a), intOf(b));
  return Floats(floatOf(a), floatOf(b));
}

double addFloats(double a, double b) { return a + b; }
double subtractFloats(double a, double b) { return a - b; }
double multiplyFloats(double a, double b) { return a * b; }

IValue trueDivide(Operands operands) {
  const IValue& a = operand(operands, 0);
  const IValue& b = operand(operands, 1);
  if (isInt(a) && isInt(b)) return python::trueDivide(intOf(a), intOf(b));
  if (floatOf(b) == 0) python::divisionByZero();
  return floatOf(a) / floatOf(b);
}

IValue power(Operands operands) {
  const IValue& a = operand(operands, 0);
  const IValue& b = operand(operands, 1);
  if (isInt(a) && isInt(b) && intOf(b) >= 0) return python::power(intOf(a), intOf(b));
  return python::power(floatOf(a), floatOf(b));
}

std::partial_ordering compare(const IValue& a, const IValue& b) {
  if (isInt(a) && isInt(b)) return intOf(a) <=> intOf(b);
  if (isInt(a)) return python::compare(intOf(a), floatOf(b));
  if (isInt(b)) return 0 <=> python::compare(intOf(b), floatOf(a));
  return floatOf(a) <=> floatOf(b);
}

template <bool (*Holds)(std::partial_ordering)>
IValue relation(Operands operands) {
  const IValue& a = operand(operands, 0);
  const IValue& b = operand(operands, 1);
  if (a.isString() && b.isString()) return Holds(a.toStringRef() <=> b.toStringRef());
  return Holds(compare(a, b));
}

// Applies a function of two bools, or of the bits of two ints.
template <int64_t (*Bits)(int64_t, int64_t)>
IValue bitwise(Operands operands) {
  const IValue& a = operand(operands, 0);
  const IValue& b = operand(operands, 1);
  const int64_t bits = Bits(needInt(a), needInt(b));
  return a.isBool() && b.isBool() ? IValue(bits != 0) : IValue(bits);
}

template <int64_t (*Shift)(int64_t, int64_t)>
IValue shift(Operands operands) {
  return Shift(needInt(operand(operands, 0)), needInt(operand(operands, 1)));
}

// Applies a float function whose result is an int; ints are returned unchanged.
template <double (*Round)(double)>
IValue toInt(Operands operands) {
  const IValue& value = operand(operands, 0);
  return isInt(value) ? intOf(value) : python::fromFloat(Round(floatOf(value)));
}

template <double (*Function)(double)>
IValue real(Operands operands) {
  const double value = floatOf(operand(operands, 0));
  const double result = Function(value);
  if (!std::isfinite(result) && std::isfinite(value)) {
    throw Failure("libtorch.arithmetic", "A number is out of a function's domain.");
  }
  return result;
}

// `round(x)` is an int, and `round(x, digits)` what `x` is.
IValue roundTo(Operands operands) {
  if (operands.size() < 2) return toInt<python::roundHalfEven>(operands);
  const IValue& value = operand(operands, 0);
  return isInt(value) ? IValue(intOf(value)) : IValue(python::roundDecimal(floatOf(value), needInt(operand(operands, 1))));
}

IValue negate(Operands operands) {
  const IValue& value = operand(operands, 0);
  return isInt(value) ? IValue(python::subtract(0, intOf(value))) : IValue(-floatOf(value));
}
IValue positive(Operands operands) {
  const IValue& value = operand(operands, 0);
  return isInt(value) ? IValue(intOf(value)) : IValue(floatOf(value));
}
IValue absolute(Operands operands) {
  const IValue& value = operand(operands, 0);
  if (!isInt(value)) return std::abs(floatOf(value));
  return intOf(value) < 0 ? python::subtract(0, intOf(value)) : intOf(value);
}
IValue invert(Operands operands) { return ~needInt(operand(operands, 0)); }
IValue negation(Operands operands) { return !truth(operand(operands, 0)); }
IValue truthOf(Operands operands) { return truth(operand(operands, 0)); }
IValue choose(Operands operands) { return truth(operand(operands, 0)) ? operand(operands, 1) : operand(operands, 2); }

template <bool Greater>
IValue extreme(Operands operands) {
  const IValue& a = operand(operands, 0);
  const IValue& b = operand(operands, 1);
  const IValue& result = (Greater ? compare(b, a) > 0 : compare(b, a) < 0) ? b : a;
  return isInt(a) && isInt(b) ? IValue(intOf(result)) : IValue(floatOf(result));
}

IValue sum(Operands operands) {
  // Programs have both sym_sum([a, b]) and sym_sum(a, b).
  if (operands.size() == 1 && operands[0].isList()) return sum(operands[0].toListRef());
  IValue total = int64_t{0};
  for (const IValue& value : operands) total = binary<python::add, addFloats>({total, value});
  return total;
}

IValue item(Operands operands) {
  const IValue& list = operand(operands, 0);
  int64_t index = needInt(operand(operands, 1));
  if (!list.isList()) refuse(std::string("`_operator::getitem` was given a ") + list.tagKind() + " instead of a list.");
  const Operands items = list.toListRef();
  const auto size = static_cast<int64_t>(items.size());
  if (index < 0) index += size;
  if (index < 0 || index >= size) refuse("`_operator::getitem`: the list has only " + std::to_string(size) + " items.");
  return items[static_cast<size_t>(index)];
}

using Order = std::partial_ordering;

const std::unordered_map<std::string, ScalarOp> kOps = {
    {"_operator::add", binary<python::add, addFloats>},
    {"_operator::sub", binary<python::subtract, subtractFloats>},
    {"_operator::mul", binary<python::multiply, multiplyFloats>},
    {"_operator::truediv", trueDivide},
    {"_operator::floordiv", binary<python::floorDivide, python::floorDivide>},
    {"_operator::mod", binary<python::modulo, python::modulo>},
    {"_operator::pow", power},
    {"_operator::neg", negate},
    {"_operator::pos", positive},
    {"_operator::abs", absolute},
    {"_operator::invert", invert},
    {"_operator::lshift", shift<python::shiftLeft>},
    {"_operator::rshift", shift<python::shiftRight>},
    {"_operator::and_", bitwise<[](int64_t a, int64_t b) { return a & b; }>},
    {"_operator::or_", bitwise<[](int64_t a, int64_t b) { return a | b; }>},
    {"_operator::xor", bitwise<[](int64_t a, int64_t b) { return a ^ b; }>},
    {"_operator::not_", negation},
    {"_operator::truth", truthOf},
    {"_operator::eq", relation<([](Order order) { return order == 0; })>},
    {"_operator::ne", relation<([](Order order) { return order != 0; })>},
    {"_operator::lt", relation<([](Order order) { return order < 0; })>},
    {"_operator::le", relation<([](Order order) { return order <= 0; })>},
    {"_operator::gt", relation<([](Order order) { return order > 0; })>},
    {"_operator::ge", relation<([](Order order) { return order >= 0; })>},
    {"_operator::getitem", item},
    {"builtins::abs", absolute},
    {"builtins::round", roundTo},
    {"builtins::max", extreme<true>},
    {"builtins::min", extreme<false>},
    {"math::trunc", toInt<std::trunc>},
    {"math::floor", toInt<std::floor>},
    {"math::ceil", toInt<std::ceil>},
    {"torch::sym_int", toInt<std::trunc>},
    {"torch::sym_float", real<[](double x) { return x; }>},
    {"torch::sym_not", negation},
    {"torch::sym_max", extreme<true>},
    {"torch::sym_min", extreme<false>},
    {"torch::sym_ite", choose},
    {"torch::sym_sum", sum},
};

// Both `math::sqrt` and `torch::_sym_sqrt` are in the table.
const std::unordered_map<std::string, ScalarOp> kMath = {
    {"sqrt", real<std::sqrt>}, {"cos", real<std::cos>},   {"cosh", real<std::cosh>},   {"sin", real<std::sin>},
    {"sinh", real<std::sinh>}, {"tan", real<std::tan>},   {"tanh", real<std::tanh>},   {"asin", real<std::asin>},
    {"acos", real<std::acos>}, {"atan", real<std::atan>}, {"asinh", real<std::asinh>}, {"exp", real<std::exp>},
    {"log", real<std::log>},   {"log2", real<std::log2>},
};

}  // namespace

ScalarOp findScalarOp(const std::string& op) {
  if (const auto found = kOps.find(op); found != kOps.end()) return found->second;
  for (const std::string prefix : {"math::", "torch::_sym_", "torch::sym_"}) {
    if (!op.starts_with(prefix)) continue;
    const auto found = kMath.find(op.substr(prefix.size()));
    if (found != kMath.end()) return found->second;
  }
  return nullptr;
}

}  // namespace pt2
