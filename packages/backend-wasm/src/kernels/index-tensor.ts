import { indexError } from "@pt2/backend/staged";
import { broadcastShape, broadcastStrides, offsetsOf, wrapIndex } from "@pt2/backend/strides";
import type { ArgValue, TensorMeta } from "@pt2/registry";
import { adder, mover, numbers } from "../engine/access.ts";
import type { KernelCall, WasmKernel } from "../engine/kernel.ts";
import type { Place } from "../engine/place.ts";

/** `self[i, :, j]` with index tensors, as offsets: those of the indexed dimensions, and of the dimensions kept. */
interface Indexed {
  readonly indices: readonly { readonly dim: number; readonly place: Place; readonly offsets: Int32Array }[];
  /** Number of index tuples. */
  readonly tuples: number;
  /** Offsets of a kept sub-tensor before the indexed dimensions, and behind them. */
  readonly before: Int32Array;
  readonly after: Int32Array;
}

/** `index(self, indices)` without masks; a mask makes the op dynamic. */
export const indexTensor: WasmKernel = {
  ops: ["aten::index.Tensor"],
  accepts: hasNoMask,
  prepare(call) {
    const self = call.tensor("self");
    const out = call.output();
    const plan = planIndices(call, self);
    call.step(() => {
      const move = mover(call.heap, self, out);
      let to = 0;
      forEachTuple(call, self, plan, (from) => move(from, to++));
    });
  },
};

/** `index_put(self, indices, values, accumulate)` without masks; of several writes to one element the last one wins. */
export const indexPut: WasmKernel = {
  ops: ["aten::index_put"],
  accepts: hasNoMask,
  prepare(call) {
    const self = call.tensor("self");
    const out = call.output();
    call.copy(self, out);
    const plan = planIndices(call, out);
    const shape = tupleShape(call, out);
    const values = call.tensor("values");
    const sources = offsetsOf({ shape, strides: broadcastStrides(values, shape) });
    const accumulate = call.arg<boolean>("accumulate");
    call.step(() => {
      let at = 0;
      const put = (accumulate ? adder : mover)(call.heap, values, out);
      forEachTuple(call, out, plan, (to) => put(sources[at++]!, to));
    });
  },
};

function hasNoMask(args: Readonly<Record<string, ArgValue>>): boolean {
  const indices = args["indices"] as readonly (TensorMeta | null)[];
  return indices.every((index) => index?.dtype !== "bool" && index?.dtype !== "uint8");
}

function planIndices(call: KernelCall, self: Place): Indexed {
  const given = call.arg<readonly (unknown | null)[]>("indices");
  const dims = given.flatMap((index, dim) => (index === null ? [] : [dim]));
  const places = call.tensorList("indices").flatMap((place) => (place === null ? [] : [place]));
  const common = broadcastShape(places.map(({ shape }) => shape));
  const indices = places.map((place, i) => ({
    dim: dims[i]!,
    place,
    offsets: offsetsOf({ shape: common, strides: broadcastStrides(place, common) }),
  }));
  const [lead, rest] = keptDims(self, dims);
  const offsets = (kept: readonly number[]): Int32Array =>
    offsetsOf({ shape: kept.map((d) => self.shape[d]!), strides: kept.map((d) => self.strides[d]!) });
  return { indices, tuples: common.reduce((n, s) => n * s, 1), before: offsets(lead), after: offsets(rest) };
}

/** Shape over which values are written: as the result of `index`. */
function tupleShape(call: KernelCall, self: Place): readonly number[] {
  const given = call.arg<readonly (unknown | null)[]>("indices");
  const dims = given.flatMap((index, dim) => (index === null ? [] : [dim]));
  const common = broadcastShape(call.tensorList("indices").flatMap((place) => (place === null ? [] : [place.shape])));
  const [lead, rest] = keptDims(self, dims);
  return [...lead.map((d) => self.shape[d]!), ...common, ...rest.map((d) => self.shape[d]!)];
}

/** Kept dimensions before and behind the indexed ones. Indices apart from each other move to the front. */
function keptDims(self: Place, dims: readonly number[]): readonly [readonly number[], readonly number[]] {
  const adjacent = dims.every((d, i) => d === dims[0]! + i);
  const kept = [...self.shape.keys()].filter((d) => !dims.includes(d));
  return adjacent ? [kept.filter((d) => d < dims[0]!), kept.filter((d) => d > dims[0]!)] : [[], kept];
}

/** Visits the offset in `self` of every element of the result, row-major. */
function forEachTuple(call: KernelCall, self: Place, plan: Indexed, visit: (offset: number) => void): void {
  const { indices, tuples, before, after } = plan;
  const bases = new Int32Array(tuples);
  for (const { dim, place, offsets } of indices) {
    const at = numbers(call.heap, place);
    const size = self.shape[dim]!;
    for (let t = 0; t < tuples; t++) {
      const index = wrapIndex(at.get(offsets[t]!), size);
      if (index === null) throw indexError(at.get(offsets[t]!), dim, size, call.call);
      bases[t]! += index * self.strides[dim]!;
    }
  }
  for (const lead of before) {
    for (let t = 0; t < tuples; t++) {
      const base = lead + bases[t]!;
      for (let i = 0; i < after.length; i++) visit(base + after[i]!);
    }
  }
}
