import { loadKernels } from "../../packages/backend-wasm/src/instantiate.ts";

const [M, K, N] = [400, 112, 672];
const RUNS = 200;

/** The GFLOP/s that the packed matrix product of the wasm backend reaches here on one thread, at a size that suits it. */
export async function productRate(): Promise<number> {
  const memory = new WebAssembly.Memory({ initial: 64 });
  const kernels = (await loadKernels())(memory);
  const [a, b, c] = [65536, 10 * 65536, 20 * 65536];
  new Float32Array(memory.buffer).fill(0.5);
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS; run++) {
    const start = performance.now();
    kernels.gemmPacked(M, N, K, a, K, b, c, N, 0, 0, 0, 0);
    best = Math.min(best, performance.now() - start);
  }
  return (2 * M * N * K) / best / 1e6;
}
