// Python's arithmetic, ints in 64 bits. What does not fit is a Failure `libtorch.arithmetic`, and so is what Python
// raises for.
#pragma once

#include <compare>
#include <cstdint>

namespace pt2::python {

[[noreturn]] void overflow();
[[noreturn]] void divisionByZero();

int64_t add(int64_t a, int64_t b);
int64_t subtract(int64_t a, int64_t b);
int64_t multiply(int64_t a, int64_t b);
// Rounds towards minus infinity; the remainder has the divisor's sign.
int64_t floorDivide(int64_t a, int64_t b);
int64_t modulo(int64_t a, int64_t b);
// The exponent is not negative.
int64_t power(int64_t base, int64_t exponent);
int64_t shiftLeft(int64_t a, int64_t bits);
int64_t shiftRight(int64_t a, int64_t bits);
// Correctly rounded.
double trueDivide(int64_t a, int64_t b);
// Of a float that is integral by now.
int64_t fromFloat(double value);

// The same for floats.
double floorDivide(double a, double b);
double modulo(double a, double b);
double power(double base, double exponent);
double roundHalfEven(double value);

// Exact, although not every int is a double.
std::partial_ordering compare(int64_t a, double b);

}  // namespace pt2::python
