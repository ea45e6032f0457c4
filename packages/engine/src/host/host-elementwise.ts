import { numel } from "@pt2/backend";
import type { OpName } from "@pt2/graph";
import { broadcastPositions } from "../strides/broadcast.ts";
import type { HostKernel } from "./host-kernel.ts";

/** An elementwise op that scalar expressions cannot say: a function of one element of each named operand. */
export function hostElementwise(
  op: OpName,
  operands: readonly string[],
  compute: (...values: readonly number[]) => number,
): HostKernel {
  return {
    ops: [op],
    run(call) {
      const shape = call.shape(0);
      const inputs = operands.map((name) => {
        const { shape: own, data } = call.array(name);
        return { data, positions: broadcastPositions(own, shape) };
      });
      const out = new Float64Array(numel(shape));
      for (let i = 0; i < out.length; i++) {
        out[i] = compute(...inputs.map(({ data, positions }) => data[positions[i]!]!));
      }
      return [out];
    },
  };
}
