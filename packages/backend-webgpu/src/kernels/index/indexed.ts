import { broadcastShape } from "@pt2/backend/strides";
import { elementCount } from "@pt2/format";
import type { ArgValue, TensorMeta } from "@pt2/registry";
import type { KernelCall } from "../../engine/kernel.ts";
import type { Place } from "../../engine/place.ts";
import { broadcast } from "../../shader/geometry.ts";
import type { Shader } from "../../shader/shader.ts";
import { wrapIndices } from "./wrap.ts";

/** `self[i, :, j]` with index tensors: what is addressed, as a shape of its own. */
export interface Indexed {
  /** Shape of the result of `index`, and of what `index_put` writes. */
  readonly shape: readonly number[];
  /** Declares `position(i)`: where, in a tensor of `self`'s strides, the i-th addressed element is. */
  declare(shader: Shader, op: string): string;
}

/** Whether all index tensors hold positions; a mask makes the op depend on data. */
export function hasNoMask(args: Readonly<Record<string, ArgValue>>): boolean {
  const indices = args["indices"] as readonly (TensorMeta | null)[];
  return indices.every((index) => index?.dtype !== "bool" && index?.dtype !== "uint8");
}

/** Looks at the `indices` argument of a call for a tensor of `self`'s shape and strides. */
export function indexedBy(call: KernelCall, self: Place): Indexed {
  const given = call.tensorList("indices");
  const dims = given.flatMap((index, dim) => (index === null ? [] : [dim]));
  const places = given.flatMap((place) => (place === null ? [] : [place]));
  const common = broadcastShape(places.map(({ shape }) => shape));
  const [lead, rest] = keptDims(self, dims);
  const layout = (kept: readonly number[]): Pick<Place, "shape" | "strides"> => ({
    shape: kept.map((d) => self.shape[d]!),
    strides: kept.map((d) => self.strides[d]!),
  });
  const [before, after] = [layout(lead), layout(rest)];
  return {
    shape: [...before.shape, ...common, ...after.shape],
    declare(shader, op) {
      const wrap = wrapIndices(
        shader,
        op,
        dims.map((dim) => ({ dim, size: self.shape[dim]! })),
      );
      shader.offsets("before", before).offsets("after", after);
      shader.u32("tuples", elementCount(common)).u32("inner", elementCount(after.shape));
      const terms = places.map((place, k) => {
        shader.read(`index${k}`, broadcast(place, common));
        shader.u32(`size${k}`, self.shape[dims[k]!]!).u32(`stride${k}`, self.strides[dims[k]!]!);
        return `wrap(index${k}(tuple), p.size${k}) * p.stride${k}`;
      });
      return `${wrap}fn position(i: u32) -> u32 {
  let outer = i / p.inner;
  let tuple = outer % p.tuples;
  return before(outer / p.tuples) + after(i % p.inner)${terms.map((term) => ` + ${term}`).join("")};
}
`;
    },
  };
}

/** Kept dimensions before and behind the indexed ones. Indices apart from each other move to the front. */
function keptDims(self: Place, dims: readonly number[]): readonly [readonly number[], readonly number[]] {
  const adjacent = dims.every((d, i) => d === dims[0]! + i);
  const kept = [...self.shape.keys()].filter((d) => !dims.includes(d));
  return adjacent ? [kept.filter((d) => d < dims[0]!), kept.filter((d) => d > dims[0]!)] : [[], kept];
}
