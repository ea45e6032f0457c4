// Products of matrices in TF32, by cuBLASLt.
#pragma once

#ifdef PT2_CUDA

#include <cstdint>

namespace pt2::cuda {

// d = a bᵀ + bias + beta c, with rows of a [rows, inner], b [columns, inner], c and d [rows, columns], which may be the
// same memory. `bias` may be null. Memory begins at multiples of 16 bytes, and so do rows.
struct Product {
  int64_t rows, columns, inner;
  const float* a;
  int64_t a_pitch;
  const float* b;
  int64_t b_pitch;
  const float* bias;
  float beta;
  const float* c;
  float* d;
};

// Queues a product on the current stream.
void multiply(const Product& product);

}  // namespace pt2::cuda

#endif
