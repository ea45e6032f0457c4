// Python's arithmetic, with ints of 64 bits. A result that does not fit is a Failure `libtorch.arithmetic`, and so is
// an operation for which Python raises.
#pragma once

#include <compare>
#include <cstdint>

namespace pt2::python {

[[noreturn]] void overflow();
[[noreturn]] void divisionByZero();

int64_t add(int64_t a, int64_t b);
int64_t subtract(int64_t a, int64_t b);
int64_t multiply(int64_t a, int64_t b);
// These round towards minus infinity; the remainder has the divisor's sign.
int64_t floorDivide(int64_t a, int64_t b);
int64_t modulo(int64_t a, int64_t b);
// The exponent must not be negative.
int64_t power(int64_t base, int64_t exponent);
int64_t shiftLeft(int64_t a, int64_t bits);
int64_t shiftRight(int64_t a, int64_t bits);
// The quotient is correctly rounded.
double trueDivide(int64_t a, int64_t b);
// Converts a float that is integral already.
int64_t fromFloat(double value);

// These are the same functions for floats.
double floorDivide(double a, double b);
double modulo(double a, double b);
double power(double base, double exponent);
double roundHalfEven(double value);
// Rounds to decimals, or to tens where there are fewer than none.
double roundDecimal(double value, int64_t digits);

// The comparison is exact, although not every int is a double.
std::partial_ordering compare(int64_t a, double b);

}  // namespace pt2::python
