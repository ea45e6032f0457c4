import { numel } from "@pt2/backend";
import type { DType } from "@pt2/format";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { resultIn } from "../float32.ts";
import { planWords, randomKernels } from "./words.ts";

/** Of a number that is made of its bits. */
const NANOSECONDS_EACH = 0.7;
/** From this range on PyTorch divides 64 random bits. */
const WIDE = 2 ** 28;
/** Trials whose bits are drawn at a time: they stay in a processor's cache. */
const TRIALS = 4096;

const rand: WasmKernel = wasmKernel({
  ops: ["aten::rand"],
  accepts: ({ dtype }) => isFloat32(dtype ?? "float32"),
  prepare: (call) => planUniform(call, 0, 1),
});

const uniform: WasmKernel = wasmKernel({
  ops: ["aten::uniform"],
  accepts: ({ self }) => isFloat32(self.dtype),
  prepare: (call, { from, to }) => planUniform(call, from, to),
});

const integers: WasmKernel = wasmKernel({
  ops: ["aten::randint.low"],
  accepts: ({ low, high, dtype }) =>
    (dtype === null || dtype === "int64" || dtype === "int32") &&
    Number(high) - Number(low) < WIDE &&
    Math.max(Math.abs(Number(low)), Math.abs(Number(high))) < 2 ** 31,
  prepare(call, { low, high }) {
    const { drawRemainders } = randomKernels(call);
    const [least, range] = [Number(low), Number(high) - Number(low)];
    resultIn("int32", call, (out) => {
      planInPlace(call, out, 0, numel(out.shape), (address, count) => drawRemainders(address, count, range, least));
    });
  },
});

const trials: WasmKernel = wasmKernel({
  ops: ["aten::bernoulli.p"],
  accepts: ({ self }) => isFloat32(self.dtype),
  prepare(call, { p }) {
    const { drawTrials } = randomKernels(call);
    // A number of 53 bits is below the probability where it is as an integer.
    const limit = Math.ceil(p * 2 ** 53);
    const out = call.output();
    const count = numel(out.shape);
    const draw = planWords(call);
    const words = call.scratch(8 * TRIALS);
    call.step(() => {
      for (let first = 0; first < count; first += TRIALS) {
        const some = Math.min(TRIALS, count - first);
        draw(words.handle, 2 * some);
        drawTrials(words.handle, some, limit, addressOf(out) + 4 * first);
      }
    });
  },
});

/** Numbers that are drawn from some bits each, the same as the host's. */
export const DRAW_KERNELS: readonly WasmKernel[] = [rand, uniform, integers, trials];

function isFloat32(dtype: DType): boolean {
  return dtype === "float32";
}

function planUniform(call: KernelCall, from: number, to: number): void {
  const { drawUniforms } = randomKernels(call);
  const [least, limit] = [Math.fround(from), Math.fround(to)];
  const width = Math.fround(limit - least);
  const out = call.output();
  planInPlace(call, out, 0, numel(out.shape), (address, count) => drawUniforms(address, count, least, width, limit));
}

/** Draws 32 bits for each of some elements of a contiguous tensor, of which a function makes numbers in their place. */
export function planInPlace(
  call: KernelCall,
  out: TensorView,
  first: number,
  end: number,
  make: (address: number, count: number) => void,
): void {
  const count = end - first;
  const draw = planWords(call);
  const address = (): number => addressOf(out) + 4 * first;
  call.step(() => draw(address(), count));
  const parts = call.team.parts({ items: count, unit: 4, nanoseconds: count * NANOSECONDS_EACH });
  call.step(call.team.step(parts, (part) => make(address() + 4 * part.start, part.count)));
}
