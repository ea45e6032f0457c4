// Maps the dtypes of programs to those of c10.
#include "dtype.h"

#include <torch/version.h>

#include <utility>

#include "failure.h"

namespace pt2 {
namespace {

using c10::ScalarType;

constexpr std::pair<const char*, ScalarType> kDtypes[] = {
    {"uint8", ScalarType::Byte},
    {"int8", ScalarType::Char},
    {"int16", ScalarType::Short},
    {"int32", ScalarType::Int},
    {"int64", ScalarType::Long},
    {"float16", ScalarType::Half},
    {"float32", ScalarType::Float},
    {"float64", ScalarType::Double},
    {"complex32", ScalarType::ComplexHalf},
    {"complex64", ScalarType::ComplexFloat},
    {"complex128", ScalarType::ComplexDouble},
    {"bool", ScalarType::Bool},
    {"bfloat16", ScalarType::BFloat16},
    {"uint16", ScalarType::UInt16},
    {"uint32", ScalarType::UInt32},
    {"uint64", ScalarType::UInt64},
    {"float8_e4m3fn", ScalarType::Float8_e4m3fn},
    {"float8_e5m2", ScalarType::Float8_e5m2},
    {"float8_e4m3fnuz", ScalarType::Float8_e4m3fnuz},
    {"float8_e5m2fnuz", ScalarType::Float8_e5m2fnuz},
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 7
    {"float8_e8m0fnu", ScalarType::Float8_e8m0fnu},
#endif
};

}  // namespace

std::optional<ScalarType> findDtype(std::string_view name) {
  for (const auto& [known, dtype] : kDtypes) {
    if (name == known) return dtype;
  }
  return std::nullopt;
}

ScalarType parseDtype(const std::string& name) {
  if (const auto dtype = findDtype(name)) return *dtype;
  throw Failure("libtorch.argument", "dtype '" + name + "' does not exist in libtorch " TORCH_VERSION ".");
}

const char* dtypeName(ScalarType dtype) {
  for (const auto& [name, known] : kDtypes) {
    if (dtype == known) return name;
  }
  return nullptr;
}

}  // namespace pt2
