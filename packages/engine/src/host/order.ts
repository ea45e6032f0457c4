import { contiguousStrides, normalDim } from "@pt2/format";
import { setKeys } from "../order/keys.ts";
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
    const [keys, at] = [new Float64Array(size), new Int32Array(size)];
    const bytes = new Uint8Array(data.buffer);
    const positions = Float64Array.from(starts, (start) => {
      for (let i = 0; i < size; i++) at[i] = i;
      setKeys(keys, { dtype: "float64", bytes, start, stride }, { raw });
      return pick({ keys, at }, args.k);
    });
    return [positions.map((position, lane) => data[starts[lane]! + position * stride]!), positions];
  }),
);
