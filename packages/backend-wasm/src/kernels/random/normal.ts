import { numel } from "@pt2/backend";
import { type DType, isSmallFloat } from "@pt2/format";
import type { KernelCall, WasmKernel } from "../../engine/kernel.ts";
import { wasmKernel } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { isFloat32, resultIn } from "../float32.ts";
import { planInPlace } from "./draws.ts";
import { randomKernels } from "./words.ts";

/** The number of elements that PyTorch transforms at once; fewer are made one by one, on the host. */
const BLOCK = 16;
/** Of a number that is transformed. */
const NANOSECONDS_EACH = 5;

const randn: WasmKernel = wasmKernel({
  ops: ["aten::randn"],
  accepts: ({ size, dtype }) => fits(size, dtype ?? "float32"),
  prepare: (call) => planNormal(call, 0, 1),
});

const normal: WasmKernel = wasmKernel({
  ops: ["aten::normal_functional"],
  accepts: ({ self }) => fits(self.shape, self.dtype),
  prepare: (call, { mean, std }) => planNormal(call, mean, std),
});

/** Normal numbers of float32 and half precision, the same as the host's (`drawNormal`). */
export const NORMAL_KERNELS: readonly WasmKernel[] = [randn, normal];

function fits(shape: readonly number[], dtype: DType): boolean {
  return isFloat32({ dtype, shape }) && numel(shape) >= BLOCK;
}

function planNormal(call: KernelCall, mean: number, std: number): void {
  const { dtype } = call.call.results[0] as { readonly dtype: DType };
  resultIn("float32", call, (out) => {
    const count = numel(out.shape);
    const rest = count % BLOCK;
    const { normalBlocks } = randomKernels(call);
    // Of float16 and bfloat16 the elements of the last block are drawn once, not twice.
    planDraws(call, out, 0, isSmallFloat(dtype) ? count - rest : count);
    const blocks = (count - rest) / BLOCK;
    const parts = call.team.parts({ items: blocks, nanoseconds: count * NANOSECONDS_EACH });
    call.step(
      call.team.step(parts, (part) => normalBlocks(addressOf(out) + 4 * BLOCK * part.start, part.count, mean, std)),
    );
    if (rest === 0) return;
    planDraws(call, out, count - BLOCK, count);
    call.step(() => normalBlocks(addressOf(out) + 4 * (count - BLOCK), 1, mean, std));
  });
}

/** Plans uniform numbers in [0, 1), of 24 random bits, from an element up to another one. */
function planDraws(call: KernelCall, out: TensorView, first: number, end: number): void {
  const { drawUniforms } = randomKernels(call);
  planInPlace(call, out, first, end, (address, count) => drawUniforms(address, count, 0, 1, 1));
}
