import { numel } from "@pt2/backend";
import { createRandom, type RandomNumbers } from "@pt2/backend/host";
import type { DType } from "@pt2/format";
import { numbers } from "../engine/access.ts";
import { isComplexDtype } from "../engine/complex-parts.ts";
import type { Heap } from "../engine/heap.ts";
import type { KernelCall, WasmKernel } from "../engine/kernel.ts";

/** An executable is known by its memory. */
const sources = new WeakMap<Heap, RandomNumbers>();

function sourceOf(heap: Heap): RandomNumbers {
  let source = sources.get(heap);
  if (source === undefined) {
    source = createRandom();
    sources.set(heap, source);
  }
  return source;
}

const isReal: WasmKernel["accepts"] = ({ dtype }) => typeof dtype !== "string" || !isComplexDtype(dtype as DType);

/** `rand(size)`: uniform in [0, 1). */
export const rand: WasmKernel = {
  ops: ["aten::rand"],
  accepts: isReal,
  prepare: (call) => planRandom(call, (source, dtype, count) => source.uniform(dtype, count)),
};

/** `randn(size)`: normal. */
export const randn: WasmKernel = {
  ops: ["aten::randn"],
  accepts: isReal,
  prepare: (call) => planRandom(call, (source, _, count) => source.normal(count)),
};

function planRandom(
  call: KernelCall,
  draw: (source: RandomNumbers, ...type: Parameters<RandomNumbers["uniform"]>) => Float64Array,
): void {
  const out = call.output();
  const { heap } = call;
  call.step(() => {
    const to = numbers(heap, out);
    for (const [i, value] of draw(sourceOf(heap), out.dtype, numel(out.shape)).entries()) to.set(i, value);
  });
}
