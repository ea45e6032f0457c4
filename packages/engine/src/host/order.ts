import { contiguousStrides, normalDim } from "@pt2/format";
import { orderKeys } from "../order/keys.ts";
import { SELECTION_OPS, SELECTIONS } from "../order/selections.ts";
import { slicesOf } from "../strides/offsets.ts";
import { type HostKernel, hostKernel } from "./host-kernel.ts";

/** Ops that find one element of each slice. */
export const orderSelections: readonly HostKernel[] = SELECTION_OPS.map((op) =>
  hostKernel([op], (call, args) => {
    const { raw, pick } = SELECTIONS[op];
    const { shape, data } = call.array(args.self);
    const dim = normalDim(args.dim, shape.length);
    const { starts, size, stride } = slicesOf({ shape, strides: contiguousStrides(shape) }, dim);
    const at = new Int32Array(size);
    const positions = Float64Array.from(starts, (start) => {
      for (let i = 0; i < size; i++) at[i] = i;
      const keys = orderKeys(size, (i) => data[start + i * stride]!, { raw });
      return pick({ keys, at }, args.k);
    });
    return [positions.map((position, lane) => data[starts[lane]! + position * stride]!), positions];
  }),
);
