// Loops that are compiled for several generations of processors, of which the loader chooses one.
//
// A loop is an `inline` template marked PT2_INLINE, and one function for each dtype, marked PT2_CLONES, that calls it.
#pragma once

#include <cstdint>

#define PT2_INLINE inline __attribute__((always_inline))

#if defined(__x86_64__) && defined(__linux__)
#define PT2_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define PT2_CLONES
#endif

namespace pt2 {

// 64 bytes of numbers. Compilers split it where registers are shorter. It is loaded from any address of a number.
template <typename T>
struct Simd;
template <>
struct Simd<float> {
  typedef float Numbers __attribute__((vector_size(64), aligned(4), may_alias));
  typedef int32_t Flags __attribute__((vector_size(64), aligned(4), may_alias));
  using Flag = int32_t;
};
template <>
struct Simd<double> {
  typedef double Numbers __attribute__((vector_size(64), aligned(8), may_alias));
  typedef int64_t Flags __attribute__((vector_size(64), aligned(8), may_alias));
  using Flag = int64_t;
};

template <typename T>
constexpr int64_t kLanes = 64 / sizeof(T);

template <typename T>
PT2_INLINE typename Simd<T>::Numbers& numbersAt(T* at) {
  return *reinterpret_cast<typename Simd<T>::Numbers*>(at);
}

template <typename T>
PT2_INLINE const typename Simd<T>::Numbers& numbersAt(const T* at) {
  return *reinterpret_cast<const typename Simd<T>::Numbers*>(at);
}

}  // namespace pt2
