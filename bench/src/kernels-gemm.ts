// Packed matrix product against ONNX Runtime's MatMul with a constant right side; both WebAssembly, one thread.
import { RELATIVE, worstError } from "@pt2/testing/worst-error";
import * as ort from "onnxruntime-web/wasm";
import { random, type Testbed, testbed } from "../../packages/backend-wasm/src/kernels.test-helper.ts";
import { oneNodeModel } from "./onnx-writer.ts";
import { median } from "./statistics.ts";

const sizes = [
  [128, 768, 768],
  [128, 768, 3072],
  [128, 3072, 768],
  [64, 384, 384],
  [64, 384, 1536],
  [64, 1536, 384],
  [1, 768, 768],
] as const;

const seconds = Number(process.argv[2] ?? 1.5);
ort.env.wasm.numThreads = 1;

async function compare(bed: Testbed, M: number, K: number, N: number): Promise<void> {
  const rng = random(M + K + N);
  const [x, w] = [rng.floats(M * K), rng.floats(K * N)];
  const model = oneNodeModel("MatMul", [M, K], [{ shape: [K, N], data: w }], [M, N]);
  const session = await ort.InferenceSession.create(model, { executionProviders: ["wasm"] });
  const feeds = { X: new ort.Tensor("float32", x, [M, K]) };

  bed.clear();
  const [a, b, c] = [bed.put(x), bed.put(w), bed.room(M * N)];
  const packed = bed.room(bed.kernels.gemmPackedBytes(K, N) / 4);
  const packStart = performance.now();
  bed.kernels.gemmPackB(b, N, 1, K, N, packed);
  const packTime = performance.now() - packStart;
  const ours = (): void => bed.kernels.gemmPacked(M, N, K, a, K, packed, c, N, 0, 0, 0, 0);

  const times: { readonly ours: number[]; readonly ort: number[] } = { ours: [], ort: [] };
  let answer: Float32Array = new Float32Array();
  const stop = performance.now() + seconds * 1000;
  for (let round = 0; performance.now() < stop || round < 20; round++) {
    const start = performance.now();
    ours();
    const middle = performance.now();
    const { Y } = await session.run(feeds);
    const end = performance.now();
    answer = Y?.data as Float32Array;
    if (round < 10) continue;
    times.ours.push(middle - start);
    times.ort.push(end - middle);
  }
  await session.release();
  const [mine, theirs] = [median(times.ours), median(times.ort)];
  const gflops = (time: number): string => ((2 * M * N * K) / time / 1e6).toFixed(1).padStart(6);
  const error = worstError(bed.floats(c, M * N), answer, RELATIVE);
  console.log(
    `M=${M} K=${K} N=${N}`.padEnd(22),
    `${mine.toFixed(3)} ms ${gflops(mine)} GFLOP/s, ort ${theirs.toFixed(3)} ms ${gflops(theirs)} GFLOP/s,`,
    `ratio ${(mine / theirs).toFixed(2)}, pack ${packTime.toFixed(2)} ms, difference ${error.toExponential(0)}`,
  );
}

const bed = testbed(4096);
for (const [M, K, N] of sizes) await compare(bed, M, K, N);
process.exit(0);
