import { slicesOf } from "@pt2/engine";
import { mirroredStarts } from "@pt2/engine/host";
import type { KernelCall } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import type { Step } from "./pass.ts";

/**
 * Makes the step that completes spectra of real numbers from their first halves along the last of `dims`: X[-k] is the conjugate of X[k], in all
 * dimensions, to the last bit as in PyTorch. `isConjugate`: what is written is the conjugate of the spectrum.
 */
export function mirroredStep(
  call: KernelCall,
  half: TensorView,
  dims: readonly number[],
  out: TensorView,
  isConjugate: boolean,
): Step {
  const last = dims.at(-1)!;
  const [from, to] = [half, out].map((view) => slicesOf(view, last));
  const opposite = mirroredStarts(half.shape, dims);
  const sign = isConjugate ? -1 : 1;
  return () => {
    const source = call.heap.f64;
    const target = out.dtype === "complex128" ? source : call.heap.f32;
    const [first, begin] = [addressOf(half) / 8, addressOf(out) / target.BYTES_PER_ELEMENT];
    for (let k = 0; k < to!.starts.length; k++) {
      let at = begin + 2 * to!.starts[k]!;
      let given = first + 2 * from!.starts[k]!;
      for (let i = 0; i < from!.size; i++, at += 2 * to!.stride, given += 2 * from!.stride) {
        target[at] = source[given]!;
        target[at + 1] = sign * source[given + 1]!;
      }
      given = first + 2 * (opposite[k]! + (to!.size - from!.size) * from!.stride);
      for (let i = from!.size; i < to!.size; i++, at += 2 * to!.stride, given -= 2 * from!.stride) {
        target[at] = source[given]!;
        target[at + 1] = -sign * source[given + 1]!;
      }
    }
  };
}
