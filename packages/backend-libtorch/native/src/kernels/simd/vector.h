// One vector of floats, as wide as the instruction set of the translation unit that includes this.
//
// The portable form is the compilers' vector extension, which lowers to NEON on arm64 and SSE2 on x86-64. Where an
// instruction set has something the extension cannot say (masked tails, fused multiply-add, NaN-aware minimum) the
// intrinsic is named here and nowhere else. `isa/*.cc` defines PT2_ISA and at most one of PT2_AVX2 and PT2_AVX512.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#if defined(PT2_AVX512)
#define PT2_VECTOR_BYTES 64
#elif defined(PT2_AVX2)
#define PT2_VECTOR_BYTES 32
#else
#define PT2_VECTOR_BYTES 16
#endif

namespace pt2::PT2_ISA {

using Vec = float __attribute__((vector_size(PT2_VECTOR_BYTES)));
using IntVec = int32_t __attribute__((vector_size(PT2_VECTOR_BYTES)));
using UnalignedVec = float __attribute__((vector_size(PT2_VECTOR_BYTES), aligned(4), may_alias));

inline constexpr int64_t kLanes = PT2_VECTOR_BYTES / 4;

inline Vec splat(float value) {
#if defined(PT2_AVX512)
  return _mm512_set1_ps(value);
#elif defined(PT2_AVX2)
  return _mm256_set1_ps(value);
#else
  return value - Vec{};
#endif
}

inline Vec load(const float* p) { return *reinterpret_cast<const UnalignedVec*>(p); }
inline void store(float* p, Vec v) { *reinterpret_cast<UnalignedVec*>(p) = v; }

/// kLanes integers, which may lie anywhere.
inline Vec load(const int8_t* p) {
#if defined(PT2_AVX512)
  return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
#elif defined(PT2_AVX2)
  return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
#else
  using Bytes = int8_t __attribute__((vector_size(kLanes)));
  Bytes bytes;
  std::memcpy(&bytes, p, sizeof(bytes));
  return __builtin_convertvector(bytes, Vec);
#endif
}

/// The bits of numbers in half precision.
enum Float16 : uint16_t {};
enum BFloat16 : uint16_t {};

#if !defined(PT2_AVX512) && !defined(PT2_AVX2)
using HalfBits = uint16_t __attribute__((vector_size(kLanes * 2)));
#endif

/// kLanes numbers, which may lie anywhere.
inline Vec load(const Float16* p) {
#if defined(PT2_AVX512)
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
#elif defined(PT2_AVX2)
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
#else
  HalfBits bits;
  std::memcpy(&bits, p, sizeof(bits));
  Vec v;
  for (int64_t i = 0; i < kLanes; ++i) v[i] = c10::detail::fp16_ieee_to_fp32_value(bits[i]);
  return v;
#endif
}

/// kLanes numbers, which may lie anywhere: the upper halves of floats.
inline Vec load(const BFloat16* p) {
#if defined(PT2_AVX512)
  const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
#elif defined(PT2_AVX2)
  const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
#else
  HalfBits bits;
  std::memcpy(&bits, p, sizeof(bits));
  return reinterpret_cast<Vec>(__builtin_convertvector(bits, IntVec) << 16);
#endif
}

/// The nearest numbers in float16, ties to even; what is too large becomes infinite.
inline Vec round_to_float16(Vec x) {
#if defined(PT2_AVX512)
  return _mm512_cvtph_ps(_mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
#elif defined(PT2_AVX2)
  return _mm256_cvtph_ps(_mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
#else
  for (int64_t i = 0; i < kLanes; ++i)
    x[i] = c10::detail::fp16_ieee_to_fp32_value(c10::detail::fp16_ieee_from_fp32_value(x[i]));
  return x;
#endif
}

/// The same in bfloat16: the upper halves, one more where the lower ones are more than half of a step, or half of it
/// and the upper one is odd.
inline Vec round_to_bfloat16(Vec x) {
  using Bits = uint32_t __attribute__((vector_size(PT2_VECTOR_BYTES)));
  const Bits bits = reinterpret_cast<Bits>(x);
  const Bits rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) & 0xffff0000u;
  // NaN would become infinite, or zero.
  return x != x ? x : reinterpret_cast<Vec>(rounded);
}

#if defined(PT2_AVX2)
inline __m256i part_mask(int64_t count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
#endif

/// The first `count` lanes, the others zero; touches no memory past them. 0 <= count <= kLanes.
inline Vec load_part(const float* p, int64_t count) {
#if defined(PT2_AVX512)
  return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << count) - 1), p);
#elif defined(PT2_AVX2)
  return _mm256_maskload_ps(p, part_mask(count));
#else
  Vec v{};
  std::memcpy(&v, p, static_cast<size_t>(count) * sizeof(float));
  return v;
#endif
}

/// The same of narrower numbers.
template <typename T>
inline Vec load_part(const T* p, int64_t count) {
  T numbers[kLanes] = {};
  std::memcpy(numbers, p, static_cast<size_t>(count) * sizeof(T));
  return load(numbers);
}

inline void store_part(float* p, Vec v, int64_t count) {
#if defined(PT2_AVX512)
  _mm512_mask_storeu_ps(p, static_cast<__mmask16>((1u << count) - 1), v);
#elif defined(PT2_AVX2)
  _mm256_maskstore_ps(p, part_mask(count), v);
#else
  std::memcpy(p, &v, static_cast<size_t>(count) * sizeof(float));
#endif
}

/// A whole vector if `left` elements fill one, else the part.
template <typename T>
inline Vec load_up_to(const T* p, int64_t left) {
  return left >= kLanes ? load(p) : load_part(p, left);
}

inline void store_up_to(float* p, Vec v, int64_t left) {
  if (left >= kLanes) {
    store(p, v);
  } else {
    store_part(p, v, left);
  }
}

/// Calls `body(offset, left)` for each vector of a row.
template <typename Body>
inline void each_vector(int64_t width, Body body) {
  int64_t i = 0;
  for (; i + kLanes <= width; i += kLanes) body(i, kLanes);
  if (i < width) body(i, width - i);
}

inline void copy_vectors(const float* from, int64_t count, float* to) {
  each_vector(count, [&](int64_t i, int64_t left) { store_up_to(to + i, load_up_to(from + i, left), left); });
}

/// a * b + c, rounded once where the hardware can.
inline Vec fma(Vec a, Vec b, Vec c) {
#if defined(PT2_AVX512)
  return _mm512_fmadd_ps(a, b, c);
#elif defined(PT2_AVX2)
  return _mm256_fmadd_ps(a, b, c);
#else
  return a * b + c;
#endif
}

/// The larger of a bound and `x`; NaN in `x` stays NaN, as in `torch.clamp` and `relu`.
inline Vec at_least(Vec bound, Vec x) {
#if defined(PT2_AVX512)
  return _mm512_max_ps(bound, x);
#elif defined(PT2_AVX2)
  return _mm256_max_ps(bound, x);
#else
  return bound > x ? bound : x;
#endif
}

/// The smaller of a bound and `x`; NaN in `x` stays NaN.
inline Vec at_most(Vec bound, Vec x) {
#if defined(PT2_AVX512)
  return _mm512_min_ps(bound, x);
#elif defined(PT2_AVX2)
  return _mm256_min_ps(bound, x);
#else
  return bound < x ? bound : x;
#endif
}

inline Vec clamp(Vec x, Vec lo, Vec hi) { return at_most(hi, at_least(lo, x)); }

inline Vec square_root(Vec x) {
#if defined(PT2_AVX512)
  return _mm512_sqrt_ps(x);
#elif defined(PT2_AVX2)
  return _mm256_sqrt_ps(x);
#else
  for (int64_t i = 0; i < kLanes; ++i) x[i] = __builtin_sqrtf(x[i]);
  return x;
#endif
}

/// 1 / x for normal x with a normal reciprocal: an estimate and a Newton step, a few times cheaper than dividing.
inline Vec reciprocal(Vec x) {
#if defined(PT2_AVX512)
  const Vec estimate = _mm512_rcp14_ps(x);
  return estimate * fma(-x, estimate, splat(2.0f));
#elif defined(PT2_AVX2)
  const Vec estimate = _mm256_rcp_ps(x);
  return estimate * fma(-x, estimate, splat(2.0f));
#else
  return 1.0f / x;
#endif
}

/// The nearest integer, the even one of two, for |x| < 2^22.
inline Vec nearest(Vec x) {
#if defined(PT2_AVX512)
  return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#else
  // Adding 1.5 * 2^23 leaves no room for a fraction.
  return x + 12582912.0f - 12582912.0f;
#endif
}

inline IntVec bits_of(Vec v) { return reinterpret_cast<IntVec>(v); }
inline Vec from_bits(IntVec v) { return reinterpret_cast<Vec>(v); }
inline Vec absolute(Vec v) { return from_bits(bits_of(v) & 0x7fffffff); }
/// `magnitude` (not negative) with the sign of `sign`.
inline Vec with_sign(Vec magnitude, Vec sign) {
  return from_bits(bits_of(magnitude) | (bits_of(sign) & static_cast<int32_t>(0x80000000)));
}

/// x 2^n for integral n in [-126, 127], and for any integral n where the hardware can.
inline Vec times_power_of_two(Vec x, Vec n) {
#if defined(PT2_AVX512)
  return _mm512_scalef_ps(x, n);
#else
  // The exponent field, from the low bits of 1.5 * 2^23 + n.
  return x * from_bits((bits_of(n + 12582912.0f) - 0x4b400000 + 127) << 23);
#endif
}

/// The lanes below `left` of `v`, the others from `rest`.
inline Vec lanes_below(int64_t left, Vec v, Vec rest) {
#if defined(PT2_AVX512)
  return left >= kLanes ? v : _mm512_mask_mov_ps(rest, static_cast<__mmask16>((1u << left) - 1), v);
#else
  for (int64_t i = left < 0 ? 0 : left; i < kLanes; ++i) v[i] = rest[i];
  return v;
#endif
}

/// Picks lanes by constant index: those of `a` from 0, those of `b` from kLanes.
template <int... I>
inline Vec shuffle(Vec a, Vec b) {
#if defined(__clang__)
  return __builtin_shufflevector(a, b, I...);
#else
  return __builtin_shuffle(a, b, IntVec{I...});
#endif
}

template <int W, int... I>
inline Vec swap_lanes(Vec v, std::integer_sequence<int, I...>) {
  return shuffle<(I ^ W)...>(v, v);
}

/// Combines all lanes pairwise, so that the order is the same on every run.
template <typename F>
inline float reduce_lanes(Vec v, F f) {
  constexpr auto kAll = std::make_integer_sequence<int, static_cast<int>(kLanes)>{};
#if PT2_VECTOR_BYTES >= 64
  v = f(v, swap_lanes<8>(v, kAll));
#endif
#if PT2_VECTOR_BYTES >= 32
  v = f(v, swap_lanes<4>(v, kAll));
#endif
  v = f(v, swap_lanes<2>(v, kAll));
  v = f(v, swap_lanes<1>(v, kAll));
  return v[0];
}

inline float sum_lanes(Vec v) {
  return reduce_lanes(v, [](Vec a, Vec b) { return a + b; });
}

/// Lane i of four from `a` and `b`: those of `a` from 0, those of `b` from 4, alike in each four lanes.
template <int... F, int... I>
inline Vec shuffle_fours(Vec a, Vec b, std::integer_sequence<int, F...>, std::integer_sequence<int, I...>) {
  constexpr int kFrom[] = {F...};
  return shuffle<(kFrom[I % 4] % 4 + I / 4 * 4 + (kFrom[I % 4] < 4 ? 0 : static_cast<int>(kLanes)))...>(a, b);
}

template <int A, int B, int C, int D>
inline Vec fours(Vec a, Vec b) {
  return shuffle_fours(a, b, std::integer_sequence<int, A, B, C, D>{},
                       std::make_integer_sequence<int, static_cast<int>(kLanes)>{});
}

/// Adds up the lanes of W vectors, each pairwise: the sums lie one behind the other in `to`.
template <int W>
inline void sum_each(const Vec (&v)[W], float* to) {
  static_assert(W == 1 || W == 2 || W == 4);
  if constexpr (W == 1) {
    *to = sum_lanes(v[0]);
  } else {
    const Vec first = fours<0, 4, 1, 5>(v[0], v[1]) + fours<2, 6, 3, 7>(v[0], v[1]);
    Vec second = first;
    if constexpr (W == 4) second = fours<0, 4, 1, 5>(v[2], v[3]) + fours<2, 6, 3, 7>(v[2], v[3]);
    Vec sums = fours<0, 1, 4, 5>(first, second) + fours<2, 3, 6, 7>(first, second);
    constexpr auto kAll = std::make_integer_sequence<int, static_cast<int>(kLanes)>{};
#if PT2_VECTOR_BYTES >= 64
    sums += swap_lanes<8>(sums, kAll);
#endif
#if PT2_VECTOR_BYTES >= 32
    sums += swap_lanes<4>(sums, kAll);
#endif
    std::memcpy(to, &sums, W * sizeof(float));
  }
}

inline float max_lanes(Vec v) {
  return reduce_lanes(v, [](Vec a, Vec b) { return at_least(a, b); });
}

}  // namespace pt2::PT2_ISA
