// Convolutions of ResNet-18 and MobileNetV3-Large against ONNX Runtime's Conv; both WebAssembly, one thread.
// Arguments: seconds per row, a filter on the row's name, and an algorithm to force.
import { RELATIVE, worstError } from "@pt2/testing/worst-error";
import * as ort from "onnxruntime-web/wasm";
import { planConv } from "../../packages/backend-wasm/src/kernels/conv/plan-conv.ts";
import type { ConvAlgorithm, ConvShape } from "../../packages/backend-wasm/src/kernels/conv/types.ts";
import { random, type Testbed, testbed } from "../../packages/backend-wasm/src/kernels.test-helper.ts";
import { convRows } from "./conv-rows.ts";
import { oneNodeModel } from "./onnx-writer.ts";
import { median } from "./statistics.ts";

const seconds = Number(process.argv[2] ?? 0.7);
const [filter = "", forced] = process.argv.slice(3);
ort.env.wasm.numThreads = 1;

/** Transposes [pixels][channels] to [channels][pixels]. */
function channelsFirst(data: Float32Array, channels: number): Float32Array {
  const pixels = data.length / channels;
  return data.map((_, i) => data[(i % pixels) * channels + Math.floor(i / pixels)] as number);
}

async function compare(bed: Testbed, name: string, shape: ConvShape): Promise<void> {
  const rng = random(name.length);
  const { inChannels: C, outChannels: O, groups } = shape;
  const [, height, width] = shape.input;
  const [, kh, kw] = shape.kernel;
  const x = rng.floats(height * width * C);
  const scale = 1 / Math.sqrt((C / groups) * kh * kw);
  const weight = rng.floats(O * (C / groups) * kh * kw).map((value) => value * scale * 3);
  const bias = rng.floats(O);

  bed.clear();
  const plan = planConv({ kernels: bed.kernels, memory: bed.memory }, shape, forced as ConvAlgorithm | undefined);
  const [, outHeight, outWidth] = plan.output;
  const length = outHeight * outWidth * O;
  const packed = bed.room(plan.weightBytes / 4);
  const taps = kh * kw;
  const strides = [(C / groups) * taps, taps, taps, kw, 1] as const;
  plan.pack({ address: bed.put(weight), strides }, packed, bed.room(plan.packScratchBytes / 4));
  const call = {
    input: bed.put(x),
    weight: packed,
    bias: bed.put(bias),
    output: bed.room(length),
    scratch: bed.room(Math.ceil(plan.scratchBytes / 4)),
    lo: Number.NEGATIVE_INFINITY,
    hi: Number.POSITIVE_INFINITY,
  };

  const [, ph, pw] = shape.padding;
  const weights = [
    { shape: [O, C / groups, kh, kw], data: weight },
    { shape: [O], data: bias },
  ];
  const attributes = { kernel_shape: [kh, kw], strides: shape.stride.slice(1), pads: [ph, pw, ph, pw], group: groups };
  const dims = [1, C, height, width];
  const model = oneNodeModel("Conv", dims, weights, [1, O, outHeight, outWidth], attributes);
  const session = await ort.InferenceSession.create(model, { executionProviders: ["wasm"] });
  const feeds = { X: new ort.Tensor("float32", channelsFirst(x, C), dims) };

  const times: { readonly ours: number[]; readonly ort: number[] } = { ours: [], ort: [] };
  let answer: Float32Array = new Float32Array();
  const stop = performance.now() + seconds * 1000;
  for (let round = 0; performance.now() < stop || round < 12; round++) {
    const start = performance.now();
    plan.run(call, 0, plan.division.items);
    const middle = performance.now();
    const { Y } = await session.run(feeds);
    const end = performance.now();
    answer = Y?.data as Float32Array;
    if (round < 5) continue;
    times.ours.push(middle - start);
    times.ort.push(end - middle);
  }
  await session.release();
  const [mine, theirs] = [median(times.ours), median(times.ort)];
  const flops = (2 * length * (C / groups) * taps) / mine / 1e6;
  const error = worstError(channelsFirst(bed.floats(call.output, length), O), answer, RELATIVE);
  console.log(
    name.padEnd(30),
    plan.algorithm.padEnd(10),
    `${mine.toFixed(3).padStart(7)} ms ${flops.toFixed(0).padStart(4)} GFLOP/s, ort ${theirs.toFixed(3).padStart(7)} ms,`,
    `ratio ${(mine / theirs).toFixed(2)}, difference ${error.toExponential(0)}`,
  );
}

const bed = testbed(8192);
for (const [name, shape] of convRows()) {
  if (name.includes(filter)) await compare(bed, name, shape);
}
process.exit(0);
