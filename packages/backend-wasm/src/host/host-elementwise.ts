import { numel } from "@pt2/backend";
import { broadcastStrides, offsetsOf } from "@pt2/backend/strides";
import type { OpName } from "@pt2/graph";
import { numbers } from "../engine/access.ts";
import type { WasmKernel } from "../engine/kernel.ts";

/**
 * A kernel for an elementwise op that scalar expressions cannot say: a plain function of one element of each named
 * operand, in double precision.
 */
export function hostElementwise(
  op: OpName,
  operands: readonly string[],
  compute: (...values: readonly number[]) => number,
): WasmKernel {
  return {
    ops: [op],
    prepare(call) {
      const places = operands.map((name) => call.tensor(name));
      const out = call.output();
      const count = numel(out.shape);
      if (count === 0) return;
      const offsets = places.map((place) =>
        offsetsOf({ shape: out.shape, strides: broadcastStrides(place, out.shape) }),
      );
      call.step(() => {
        const inputs = places.map((place) => numbers(call.heap, place));
        const result = numbers(call.heap, out);
        for (let i = 0; i < count; i++) {
          result.set(i, compute(...inputs.map((input, k) => input.get(offsets[k]![i]!))));
        }
      });
    },
  };
}
