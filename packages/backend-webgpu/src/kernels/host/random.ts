import { viewAs } from "@pt2/backend";
import { createRandom, type RandomNumbers } from "@pt2/backend/host";
import { DTYPES, type DType, elementCount, floatToBits, isSmallFloat } from "@pt2/format";
import type { KernelCall, WebgpuKernel } from "../../engine/kernel.ts";

/** `rand(size)`: uniform in [0, 1). */
const rand: WebgpuKernel = {
  ops: ["aten::rand"],
  prepare: (call) => planRandom(call, (source, dtype, count) => source.uniform(dtype, count)),
};

/** `randn(size)`: normal. */
const randn: WebgpuKernel = {
  ops: ["aten::randn"],
  prepare: (call) => planRandom(call, (source, _, count) => source.normal(count)),
};

/** Random numbers, drawn on the host as every backend draws them. */
export const NOISE: readonly WebgpuKernel[] = [rand, randn];

/** Numbers are drawn on the host, from one sequence for each executable, as on the other backends. */
function planRandom(
  call: KernelCall,
  draw: (source: RandomNumbers, dtype: DType, count: number) => Float64Array,
): void {
  const out = call.output();
  const { dtype, shape } = out;
  const source = call.random(createRandom);
  call.host({
    name: call.call.record.name,
    reads: [],
    writes: [out],
    run: () => [{ dtype, shape, bytes: rounded(dtype, draw(source, dtype, elementCount(shape))) }],
  });
}

function rounded(dtype: DType, values: Float64Array): Uint8Array {
  const bytes = new Uint8Array(values.length * DTYPES[dtype].itemsize);
  const to = viewAs(dtype, bytes);
  const small = isSmallFloat(dtype);
  for (const [i, value] of values.entries()) to[i] = small ? floatToBits(dtype, value) : value;
  return bytes;
}
