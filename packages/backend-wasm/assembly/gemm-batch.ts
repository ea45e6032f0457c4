// Matrix products of two operands that both change from run to run.
import { gemmPackB } from "./gemm-pack";
import { gemmPacked } from "./gemm";

/**
 * C[i,j] = clamp(A[i,j]·B[i,j] + C[i,j]) for i < `outer` and j < `inner`, each [M,K]·[K,N]; `flags` as in `gemmPacked`.
 * Strides count elements and may be 0 to broadcast; rows of A and C are contiguous. `scratch` has room for
 * `gemmPackedBytes(K, N)`; B is packed there, once for neighbors that share it.
 */
export function gemmBatch(
  outer: i32, inner: i32, M: i32, N: i32, K: i32,
  a: usize, aOuter: i32, aInner: i32, lda: i32,
  b: usize, bOuter: i32, bInner: i32, strideK: i32, strideN: i32,
  c: usize, cOuter: i32, cInner: i32, ldc: i32,
  scratch: usize, flags: i32, lo: f32, hi: f32,
): void {
  let held: usize = 0;
  for (let i = 0; i < outer; i++) {
    for (let j = 0; j < inner; j++) {
      const bNow = b + at(i, bOuter, j, bInner);
      if (bNow != held) {
        gemmPackB(bNow, strideK, strideN, K, N, scratch);
        held = bNow;
      }
      gemmPacked(M, N, K, a + at(i, aOuter, j, aInner), lda, scratch, c + at(i, cOuter, j, cInner), ldc, 0, flags, lo, hi);
    }
  }
}

@inline
function at(i: i32, outer: i32, j: i32, inner: i32): usize {
  return (<usize>i * <usize>outer + <usize>j * <usize>inner) << 2;
}
