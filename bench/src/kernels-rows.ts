// Softmax, layer normalization and reductions against ONNX Runtime; both WebAssembly, one thread.
import { RELATIVE, worstError } from "@pt2/testing/worst-error";
import * as ort from "onnxruntime-web/wasm";
import { random, type Testbed, testbed } from "../../packages/backend-wasm/src/kernels.test-helper.ts";
import { oneNodeModel } from "./onnx-writer.ts";
import { median } from "./statistics.ts";

interface Row {
  readonly op: string;
  readonly rows: number;
  readonly n: number;
  /** The number of vectors of n floats that the op takes besides its input. */
  readonly weights: number;
  readonly run: (bed: Testbed, src: number, dst: number, rows: number, n: number, weights: readonly number[]) => void;
}

const softmax: Row["run"] = (bed, src, dst, rows, n) => bed.kernels.softmaxRows(src, dst, rows, n);
const logSoftmax: Row["run"] = (bed, src, dst, rows, n) => bed.kernels.logSoftmaxRows(src, dst, rows, n);
/** The scratch of a transposition: a testbed's blocks begin at the second page. */
const SCRATCH = 1024;
const transpose: Row["run"] = (bed, src, dst, rows, n) => bed.kernels.transpose(src, dst, rows, n, n, rows, SCRATCH);
const layerNorm: Row["run"] = (bed, src, dst, rows, n, [weight = 0, bias = 0]) =>
  bed.kernels.layerNormRows(src, dst, rows, n, weight, bias, 1e-5, 0, 0);

const table: readonly Row[] = [
  { op: "Softmax", rows: 1536, n: 128, weights: 0, run: softmax },
  { op: "Softmax", rows: 768, n: 64, weights: 0, run: softmax },
  { op: "LogSoftmax", rows: 128, n: 1000, weights: 0, run: logSoftmax },
  { op: "LayerNormalization", rows: 128, n: 768, weights: 2, run: layerNorm },
  { op: "LayerNormalization", rows: 64, n: 384, weights: 2, run: layerNorm },
  { op: "Transpose", rows: 768, n: 3072, weights: 0, run: transpose },
];

const seconds = Number(process.argv[2] ?? 1);
ort.env.wasm.numThreads = 1;

async function compare(bed: Testbed, { op, rows, n, weights, run }: Row): Promise<void> {
  const rng = random(rows + n);
  const x = rng.floats(rows * n);
  const vectors = Array.from({ length: weights }, () => ({ shape: [n], data: rng.floats(n) }));
  const shape = op === "Transpose" ? [n, rows] : [rows, n];
  const model = oneNodeModel(op, [rows, n], vectors, shape);
  const session = await ort.InferenceSession.create(model, { executionProviders: ["wasm"] });
  const feeds = { X: new ort.Tensor("float32", x, [rows, n]) };

  bed.clear();
  const [src, dst] = [bed.put(x), bed.room(rows * n)];
  const addresses = vectors.map(({ data }) => bed.put(data));
  const times: { readonly ours: number[]; readonly ort: number[] } = { ours: [], ort: [] };
  let answer: Float32Array = new Float32Array();
  const stop = performance.now() + seconds * 1000;
  while (performance.now() < stop || times.ours.length < 20) {
    const start = performance.now();
    run(bed, src, dst, rows, n, addresses);
    const middle = performance.now();
    const { Y } = await session.run(feeds);
    times.ours.push(middle - start);
    times.ort.push(performance.now() - middle);
    answer = Y?.data as Float32Array;
  }
  await session.release();
  const [mine, theirs] = [median(times.ours), median(times.ort)];
  const error = worstError(bed.floats(dst, rows * n), answer, RELATIVE);
  console.log(
    `${op} ${rows}x${n}`.padEnd(32),
    `${mine.toFixed(3)} ms, ort ${theirs.toFixed(3)} ms with its call and copies, ratio ${(mine / theirs).toFixed(2)},`,
    `difference ${error.toExponential(0)}`,
  );
}

const bed = testbed(1024);
for (const row of table) await compare(bed, row);
process.exit(0);
