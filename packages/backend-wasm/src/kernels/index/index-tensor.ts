import { numel } from "@pt2/backend";
import { broadcastShape, broadcastStrides, offsetsOf } from "@pt2/engine";
import type { TensorMeta } from "@pt2/registry";
import { adder, mover, pick } from "../../engine/element-access.ts";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { readIndices } from "../../engine/read-indices.ts";
import type { TensorView } from "../../engine/tensor-view.ts";

/** An index tensor, row-major, and which of its elements belongs to each tuple. */
interface IndexOfDim {
  readonly dim: number;
  readonly view: TensorView;
  readonly offsets: Int32Array;
  readonly rows: Int32Array;
}

/** `self[i, :, j]` with index tensors, as offsets: those of the indexed dimensions, and of the dimensions kept. */
interface Indexed {
  readonly indices: readonly IndexOfDim[];
  /** Number of index tuples. */
  readonly tuples: number;
  /** Offsets of a kept sub-tensor before the indexed dimensions, and behind them. */
  readonly before: Int32Array;
  readonly after: Int32Array;
}

/** `index(self, indices)` without masks; a mask makes the op dynamic. */
export const indexTensor: WasmKernel = wasmKernel({
  ops: ["aten::index.Tensor"],
  accepts: hasNoMask,
  prepare(call, args) {
    const self = call.tensor(args.self);
    const out = call.output();
    const plan = planIndices(call, self, args.indices);
    const width = isRun(plan.after) ? plan.after.length : 1;
    const kept = width === 1 ? plan.after : plan.after.subarray(0, 1);
    const sources = new Int32Array(plan.tuples * kept.length);
    call.step(() => {
      const bases = tupleBases(call, self, plan);
      for (const [i, lead] of plan.before.entries()) {
        let at = 0;
        for (const base of bases) for (const rest of kept) sources[at++] = lead + base + rest;
        pick(call.heap, self, out, sources, width, i * sources.length * width);
      }
    });
  },
});

/** `index_put(self, indices, values, accumulate)` without masks; of several writes to one element the last one wins. */
export const indexPut: WasmKernel = wasmKernel({
  ops: ["aten::index_put"],
  accepts: hasNoMask,
  prepare(call, args) {
    const self = call.tensor(args.self);
    const out = call.output();
    call.copy(self, out);
    const plan = planIndices(call, out, args.indices);
    const shape = tupleShape(call, out, args.indices);
    const values = call.tensor(args.values);
    const sources = offsetsOf({ shape, strides: broadcastStrides(values, shape) });
    call.step(() => {
      let at = 0;
      const put = (args.accumulate ? adder : mover)(call.heap, values, out);
      forEachTuple(call, out, plan, (to) => put(sources[at++]!, to));
    });
  },
});

/** The indices of a call; null for a dimension that is kept. */
type Indices = readonly (TensorMeta | null)[];

function hasNoMask({ indices }: { readonly indices: Indices }): boolean {
  return indices.every((index) => index?.dtype !== "bool" && index?.dtype !== "uint8");
}

function planIndices(call: KernelCall, self: TensorView, given: Indices): Indexed {
  const dims = given.flatMap((index, dim) => (index === null ? [] : [dim]));
  const views = given.map((index) => call.optional(index)).flatMap((view) => (view === null ? [] : [call.dense(view)]));
  const common = broadcastShape(views.map(({ shape }) => shape));
  const indices = views.map((view, i) => ({
    dim: dims[i]!,
    view,
    offsets: offsetsOf({ shape: common, strides: broadcastStrides(view, common) }),
    rows: new Int32Array(numel(view.shape)),
  }));
  const [lead, rest] = keptDims(self, dims);
  const offsets = (kept: readonly number[]): Int32Array =>
    offsetsOf({ shape: kept.map((d) => self.shape[d]!), strides: kept.map((d) => self.strides[d]!) });
  return { indices, tuples: common.reduce((n, s) => n * s, 1), before: offsets(lead), after: offsets(rest) };
}

/** Shape over which values are written: as the result of `index`. */
function tupleShape(call: KernelCall, self: TensorView, given: Indices): readonly number[] {
  const dims = given.flatMap((index, dim) => (index === null ? [] : [dim]));
  const common = broadcastShape(given.flatMap((index) => (index === null ? [] : [call.tensor(index).shape])));
  const [lead, rest] = keptDims(self, dims);
  return [...lead.map((d) => self.shape[d]!), ...common, ...rest.map((d) => self.shape[d]!)];
}

/** Kept dimensions before and behind the indexed ones. Indices apart from each other move to the front. */
function keptDims(self: TensorView, dims: readonly number[]): readonly [readonly number[], readonly number[]] {
  const adjacent = dims.every((d, i) => d === dims[0]! + i);
  const kept = [...self.shape.keys()].filter((d) => !dims.includes(d));
  return adjacent ? [kept.filter((d) => d < dims[0]!), kept.filter((d) => d > dims[0]!)] : [[], kept];
}

/** Where each tuple of indices leads to, as offsets in `self`. */
function tupleBases(call: KernelCall, self: TensorView, { indices, tuples }: Indexed): Int32Array {
  const bases = new Int32Array(tuples);
  for (const { dim, view, offsets, rows } of indices) {
    readIndices(call, view, rows, { dim, size: self.shape[dim]!, wraps: true });
    const stride = self.strides[dim]!;
    for (let t = 0; t < tuples; t++) bases[t]! += rows[offsets[t]!]! * stride;
  }
  return bases;
}

/** Visits the offset in `self` of every element of the result, row-major. */
function forEachTuple(call: KernelCall, self: TensorView, plan: Indexed, visit: (offset: number) => void): void {
  const { before, after } = plan;
  const bases = tupleBases(call, self, plan);
  for (const lead of before) {
    for (const base of bases) for (let i = 0; i < after.length; i++) visit(lead + base + after[i]!);
  }
}

/** Whether elements are neighbors. */
function isRun(offsets: Int32Array): boolean {
  return offsets.every((offset, i) => offset === offsets[0]! + i);
}
