// Computes with ints, floats and bools as Python does.
#include "plan/numbers/python-number.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "failure.h"

namespace pt2::python {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

uint64_t magnitude(int64_t value) {
  return value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

bool isExactDouble(uint64_t value) { return value <= (uint64_t{1} << 53); }

// This is long division to 62 bits of quotient; the remainder only breaks ties, in the lowest bit.
double divideRounded(uint64_t a, uint64_t b) {
  uint64_t quotient = a / b;
  uint64_t rest = a % b;
  int shift = 0;
  while (std::bit_width(quotient) < 62 && shift < 128) {
    // rest < b <= 2^63, so that doubling stays in range.
    rest <<= 1;
    quotient <<= 1;
    ++shift;
    if (rest >= b) {
      rest -= b;
      quotient |= 1;
    }
  }
  if (rest != 0) quotient |= 1;
  return std::ldexp(static_cast<double>(quotient), -shift);
}

}  // namespace

void overflow() { throw Failure("libtorch.arithmetic", "An integer of the program does not fit into 64 bits."); }

void divisionByZero() { throw Failure("libtorch.arithmetic", "The program divides by zero."); }

int64_t add(int64_t a, int64_t b) {
  if (b > 0 ? a > kMax - b : a < kMin - b) overflow();
  return a + b;
}

int64_t subtract(int64_t a, int64_t b) {
  if (b > 0 ? a < kMin + b : a > kMax + b) overflow();
  return a - b;
}

int64_t multiply(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  const uint64_t limit = (a < 0) == (b < 0) ? static_cast<uint64_t>(kMax) : static_cast<uint64_t>(kMax) + 1;
  if (magnitude(a) > limit / magnitude(b)) overflow();
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

int64_t floorDivide(int64_t a, int64_t b) {
  if (b == 0) divisionByZero();
  if (b == -1) return subtract(0, a);
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

int64_t modulo(int64_t a, int64_t b) {
  if (b == 0) divisionByZero();
  if (b == -1) return 0;
  const int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

int64_t power(int64_t base, int64_t exponent) {
  int64_t result = 1;
  for (;;) {
    if ((exponent & 1) != 0) result = multiply(result, base);
    exponent >>= 1;
    if (exponent == 0) return result;
    base = multiply(base, base);
  }
}

int64_t shiftLeft(int64_t a, int64_t bits) {
  if (bits < 0) throw Failure("libtorch.arithmetic", "The program shifts by a negative number of bits.");
  if (a == 0) return 0;
  if (bits > 62) overflow();
  return multiply(a, int64_t{1} << bits);
}

int64_t shiftRight(int64_t a, int64_t bits) {
  if (bits < 0) throw Failure("libtorch.arithmetic", "The program shifts by a negative number of bits.");
  return a >> (bits > 63 ? 63 : bits);
}

double trueDivide(int64_t a, int64_t b) {
  if (b == 0) divisionByZero();
  const uint64_t x = magnitude(a);
  const uint64_t y = magnitude(b);
  if (isExactDouble(x) && isExactDouble(y)) return static_cast<double>(a) / static_cast<double>(b);
  const double quotient = divideRounded(x, y);
  return (a < 0) == (b < 0) ? quotient : -quotient;
}

int64_t fromFloat(double value) {
  constexpr double kLimit = 9223372036854775808.0;
  const bool fits = value >= -kLimit && value < kLimit;  // not so for NaN
  if (!fits) overflow();
  return static_cast<int64_t>(value);
}

// This follows CPython's float_floor_div, whose quotient agrees with its remainder.
double floorDivide(double a, double b) {
  if (b == 0) divisionByZero();
  const double rest = std::fmod(a, b);
  double quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(0.0, a / b);
  const double floor = std::floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

double modulo(double a, double b) {
  if (b == 0) divisionByZero();
  const double rest = std::fmod(a, b);
  if (rest == 0) return std::copysign(0.0, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

double power(double base, double exponent) {
  const double result = std::pow(base, exponent);
  const bool finite = std::isfinite(base) && std::isfinite(exponent);
  if (finite && !std::isfinite(result)) {
    throw Failure("libtorch.arithmetic", "A power that the program takes is no finite real number.");
  }
  return result;
}

double roundHalfEven(double value) {
  const double down = std::floor(value);
  if (value - down != 0.5) return std::round(value);
  return std::fmod(down, 2) == 0 ? down : down + 1;
}

double roundDecimal(double value, int64_t digits) {
  constexpr int64_t kMostDigits = 323;  // below the smallest double
  if (!std::isfinite(value) || digits > kMostDigits) return value;
  if (digits < 0) {
    const double unit = std::pow(10.0, static_cast<double>(-digits));
    return roundHalfEven(value / unit) * unit;
  }
  // printf rounds the exact value, and what lies between two decimals to the even one.
  char text[800];
  std::snprintf(text, sizeof text, "%.*f", static_cast<int>(digits), value);
  return std::strtod(text, nullptr);
}

std::partial_ordering compare(int64_t a, double b) {
  if (std::isnan(b)) return std::partial_ordering::unordered;
  if (b >= 9223372036854775808.0) return std::partial_ordering::less;
  if (b < -9223372036854775808.0) return std::partial_ordering::greater;
  const double whole = std::trunc(b);
  const auto truncated = static_cast<int64_t>(whole);
  if (a != truncated) return a < truncated ? std::partial_ordering::less : std::partial_ordering::greater;
  return whole <=> b;
}

}  // namespace pt2::python
