import { contiguousStrides } from "@pt2/format";
import type { OpName } from "@pt2/graph";
import type { ArgValue } from "@pt2/registry";
import { orderKeys } from "../order/keys.ts";
import { SELECTIONS } from "../order/selections.ts";
import { normalDim, slicesOf } from "../strides/offsets.ts";
import { type HostKernel, hostKernel } from "./host-kernel.ts";

/** Ops that find one element of each lane. */
export const orderSelections: readonly HostKernel[] = Object.entries(SELECTIONS).map(([op, { raw, pick }]) =>
  hostKernel([op as OpName], (call) => {
    const { shape, data } = call.array("self");
    const dim = normalDim(call.arg<number>("dim"), shape.length);
    const { starts, size, stride } = slicesOf({ shape, strides: contiguousStrides(shape) }, dim);
    const at = new Int32Array(size);
    const positions = Float64Array.from(starts, (start) => {
      for (let i = 0; i < size; i++) at[i] = i;
      const keys = orderKeys(size, (i) => data[start + i * stride]!, { raw });
      return pick({ keys, at }, (name) => call.arg<ArgValue>(name));
    });
    return [positions.map((position, lane) => data[starts[lane]! + position * stride]!), positions];
  }),
);
