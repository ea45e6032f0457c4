// Several elementwise ops as one pass over memory: a list of instructions that is run block by block, so that what one
// leaves for the next stays in the first-level cache.
#pragma once

#include <cstdint>

namespace pt2 {

/// The functions of instructions, in the order of `POINTWISE_FNS` in `src/optimize/pointwise-code.ts`. Comparisons give
/// 1 and 0; `kMin` and `kMax` propagate NaN; `kSelect` is y where x is not 0, else z. `kRound...`
/// give the nearest number of another dtype, ties to even.
enum class PointwiseFn : uint8_t {
  kCopy,
  kNeg,
  kAbs,
  kSqrt,
  kExp,
  kTanh,
  kErf,
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMin,
  kMax,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kSelect,
  kRoundFloat16,
  kRoundBFloat16,
  kCount,
};

/// out = fn(x, y, z); the operands are registers, and those that the function does not have are not read.
struct PointwiseInstruction {
  PointwiseFn fn;
  uint8_t out, x, y, z;
};

/// Registers hold one block each: first the inputs, then the constants, then what instructions write.
inline constexpr int64_t kPointwiseRegisters = 64;
/// Elements of a block. All registers together are 64 KiB, those that a program of usual size has fit the cache.
inline constexpr int64_t kPointwiseBlock = 256;

/// A checked program. Operands of the loop are the results, then the inputs, as `TensorIterator` has them.
struct Pointwise {
  const PointwiseInstruction* code;
  int64_t instructions;
  const float* constants;
  int64_t constants_count;
  const bool* input_is_mask;  // a mask is a bool tensor
  int64_t inputs;
  const uint8_t* results;  // the register of each result
  const bool* result_is_mask;
  int64_t results_count;
};

}  // namespace pt2
