// Runs the instructions of a pointwise program over a plane of elements with any strides.
#pragma once

#include "../pointwise.h"
#include "../simd/math.h"

namespace pt2::PT2_ISA {

namespace pointwise {

inline int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }

inline void fill(float* out, int64_t count, float value) {
  const Vec v = splat(value);
  each_vector(count, [&](int64_t i, int64_t left) { store_up_to(out + i, v, left); });
}

/// 1 where the comparison holds, else 0.
inline Vec truth(IntVec holds) { return from_bits(holds & 0x3f800000); }

/// NaN where either is NaN, as in `torch.maximum`.
inline Vec larger(Vec x, Vec y) { return x != x ? x : at_least(x, y); }
inline Vec smaller(Vec x, Vec y) { return x != x ? x : at_most(x, y); }

template <typename F, typename... Operands>
inline void map(float* out, int64_t count, F f, const Operands*... operands) {
  each_vector(count,
              [&](int64_t i, int64_t left) { store_up_to(out + i, f(load_up_to(operands + i, left)...), left); });
}

inline void run(const PointwiseInstruction& step, float* const* registers, int64_t count) {
  float* out = registers[step.out];
  const float* a = registers[step.x];
  const float* b = registers[step.y];
  const float* c = registers[step.z];
  switch (step.fn) {
    case PointwiseFn::kCopy: return map(out, count, [](Vec x) { return x; }, a);
    case PointwiseFn::kNeg: return map(out, count, [](Vec x) { return -x; }, a);
    case PointwiseFn::kAbs: return map(out, count, [](Vec x) { return absolute(x); }, a);
    case PointwiseFn::kSqrt: return map(out, count, [](Vec x) { return square_root(x); }, a);
    case PointwiseFn::kExp: return map(out, count, [](Vec x) { return exp(x); }, a);
    case PointwiseFn::kTanh: return map(out, count, [](Vec x) { return tanh(x); }, a);
    case PointwiseFn::kErf: return map(out, count, [](Vec x) { return erf(x); }, a);
    case PointwiseFn::kAdd: return map(out, count, [](Vec x, Vec y) { return x + y; }, a, b);
    case PointwiseFn::kSub: return map(out, count, [](Vec x, Vec y) { return x - y; }, a, b);
    case PointwiseFn::kMul: return map(out, count, [](Vec x, Vec y) { return x * y; }, a, b);
    case PointwiseFn::kDiv: return map(out, count, [](Vec x, Vec y) { return x / y; }, a, b);
    case PointwiseFn::kMin: return map(out, count, [](Vec x, Vec y) { return smaller(x, y); }, a, b);
    case PointwiseFn::kMax: return map(out, count, [](Vec x, Vec y) { return larger(x, y); }, a, b);
    case PointwiseFn::kEq: return map(out, count, [](Vec x, Vec y) { return truth(x == y); }, a, b);
    case PointwiseFn::kNe: return map(out, count, [](Vec x, Vec y) { return truth(x != y); }, a, b);
    case PointwiseFn::kLt: return map(out, count, [](Vec x, Vec y) { return truth(x < y); }, a, b);
    case PointwiseFn::kLe: return map(out, count, [](Vec x, Vec y) { return truth(x <= y); }, a, b);
    case PointwiseFn::kGt: return map(out, count, [](Vec x, Vec y) { return truth(x > y); }, a, b);
    case PointwiseFn::kGe: return map(out, count, [](Vec x, Vec y) { return truth(x >= y); }, a, b);
    case PointwiseFn::kSelect: return map(out, count, [](Vec x, Vec y, Vec z) { return x != 0.0f ? y : z; }, a, b, c);
    case PointwiseFn::kRoundFloat16: return map(out, count, [](Vec x) { return round_to_float16(x); }, a);
    case PointwiseFn::kRoundBFloat16: return map(out, count, [](Vec x) { return round_to_bfloat16(x); }, a);
    case PointwiseFn::kCount: return;
  }
}

/// `rows` runs of `columns` elements, by the distances in bytes of neighbors within a run and of runs.
struct Plane {
  char* data;
  int64_t inner, outer;
  int64_t columns, rows;

  /// Whether all runs together are `columns * rows` elements of `size` bytes in order.
  bool is_dense(int64_t size) const { return inner == size && (rows == 1 || outer == columns * size); }
  /// Whether all elements are one and the same.
  bool is_single() const { return inner == 0 && (rows == 1 || outer == 0); }
};

template <typename Element, typename Body>
inline void each_element(const Plane& plane, Body body) {
  for (int64_t r = 0; r < plane.rows; ++r) {
    for (int64_t i = 0; i < plane.columns; ++i) {
      body(r * plane.columns + i, *reinterpret_cast<Element*>(plane.data + r * plane.outer + i * plane.inner));
    }
  }
}

/// Brings the elements of an input into a register; where they lie in order, the register is that memory.
inline float* read(const Plane& plane, bool is_mask, float* block) {
  if (is_mask) {
    each_element<const uint8_t>(plane, [block](int64_t i, uint8_t bit) { block[i] = bit != 0 ? 1.0f : 0.0f; });
    return block;
  }
  if (plane.is_dense(sizeof(float))) return reinterpret_cast<float*>(plane.data);
  if (plane.inner == 0) {
    for (int64_t r = 0; r < plane.rows; ++r) {
      fill(block + r * plane.columns, plane.columns, *reinterpret_cast<const float*>(plane.data + r * plane.outer));
    }
    return block;
  }
  if (plane.inner == sizeof(float)) {
    const size_t bytes = static_cast<size_t>(plane.columns) * sizeof(float);
    for (int64_t r = 0; r < plane.rows; ++r) {
      std::memcpy(block + r * plane.columns, plane.data + r * plane.outer, bytes);
    }
    return block;
  }
  each_element<const float>(plane, [block](int64_t i, float value) { block[i] = value; });
  return block;
}

inline void write(const float* block, bool is_mask, const Plane& plane) {
  if (is_mask) {
    each_element<uint8_t>(plane, [block](int64_t i, uint8_t& bit) { bit = block[i] != 0.0f; });
  } else if (plane.inner == sizeof(float)) {
    const size_t bytes = static_cast<size_t>(plane.columns) * sizeof(float);
    for (int64_t r = 0; r < plane.rows; ++r) {
      std::memcpy(plane.data + r * plane.outer, block + r * plane.columns, bytes);
    }
  } else {
    each_element<float>(plane, [block](int64_t i, float& value) { value = block[i]; });
  }
}

}  // namespace pointwise

/// A plane of `columns` times `rows` elements. `data` and `strides` (in bytes, first within a row, then between rows)
/// are those of the results and then of the inputs. A result may be an input: all of a block is read before it is
/// written.
inline void run_pointwise(const Pointwise& p, char* const* data, const int64_t* strides, int64_t columns,
                          int64_t rows) {
  alignas(64) float blocks[kPointwiseRegisters * kPointwiseBlock];
  float* registers[kPointwiseRegisters];
  const auto block_of = [&blocks](int64_t i) { return blocks + i * kPointwiseBlock; };
  for (int64_t i = 0; i < kPointwiseRegisters; ++i) registers[i] = block_of(i);
  for (int64_t i = 0; i < p.constants_count; ++i) {
    pointwise::fill(block_of(p.inputs + i), kPointwiseBlock, p.constants[i]);
  }
  const int64_t operands = p.results_count + p.inputs;
  const int64_t width = pointwise::lesser(columns, kPointwiseBlock);
  const int64_t height = pointwise::lesser(rows, kPointwiseBlock / width);
  bool is_filled[kPointwiseRegisters];
  for (int64_t i = 0; i < p.inputs; ++i) {
    const int64_t operand = p.results_count + i;
    const pointwise::Plane all{data[operand], strides[operand], strides[operands + operand], columns, rows};
    // A row that is the same everywhere, such as a number for each channel of an image, is brought once.
    const bool is_repeated = all.outer == 0 && columns == width && height > 1;
    is_filled[i] = (all.is_single() || is_repeated) && !p.input_is_mask[i];
    if (!is_filled[i]) continue;
    if (all.is_single()) {
      pointwise::fill(block_of(i), kPointwiseBlock, *reinterpret_cast<const float*>(all.data));
    } else {
      pointwise::read({all.data, all.inner, all.outer, columns, height}, false, block_of(i));
    }
  }
  // What is both is read by instructions that come after the one that computes it.
  bool is_input[kPointwiseRegisters];
  for (int64_t i = 0; i < p.results_count; ++i) {
    is_input[i] = false;
    for (int64_t j = p.results_count; j < operands; ++j) is_input[i] = is_input[i] || data[i] == data[j];
  }
  for (int64_t r = 0; r < rows; r += height) {
    for (int64_t c = 0; c < columns; c += width) {
      const int64_t across = pointwise::lesser(width, columns - c);
      const int64_t down = pointwise::lesser(height, rows - r);
      const auto plane_of = [&](int64_t operand) {
        const int64_t inner = strides[operand];
        const int64_t outer = strides[operands + operand];
        return pointwise::Plane{data[operand] + c * inner + r * outer, inner, outer, across, down};
      };
      for (int64_t i = 0; i < p.inputs; ++i) {
        if (is_filled[i]) continue;
        registers[i] = pointwise::read(plane_of(p.results_count + i), p.input_is_mask[i], block_of(i));
      }
      for (int64_t i = 0; i < p.results_count; ++i) {
        const pointwise::Plane plane = plane_of(i);
        const bool is_direct = !p.result_is_mask[i] && !is_input[i] && plane.is_dense(sizeof(float));
        registers[p.results[i]] = is_direct ? reinterpret_cast<float*>(plane.data) : block_of(p.results[i]);
      }
      for (int64_t i = 0; i < p.instructions; ++i) pointwise::run(p.code[i], registers, across * down);
      for (int64_t i = 0; i < p.results_count; ++i) {
        const pointwise::Plane plane = plane_of(i);
        const float* block = registers[p.results[i]];
        if (block != reinterpret_cast<const float*>(plane.data)) pointwise::write(block, p.result_is_mask[i], plane);
      }
    }
  }
}

}  // namespace pt2::PT2_ISA
