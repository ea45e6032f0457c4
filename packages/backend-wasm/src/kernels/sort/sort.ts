import { slicesOf } from "@pt2/engine";
import {
  type Ordered,
  SELECTION_OPS,
  SELECTIONS,
  selectFirst,
  setKeys,
  sortRange,
  sortsByRadix,
  stableSort,
} from "@pt2/engine/host";
import { DTYPES, type DType, normalDim } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { wordsOf } from "../../engine/element-access.ts";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { partScratch } from "../../engine/part-scratch.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import type { Part } from "../../threads/team.ts";
import { orderKernels } from "./ordering-module.ts";

/** `sort(self, stable, dim, descending)`: NaN counts as the largest; equal elements come in PyTorch's order. */
const sort: WasmKernel = wasmKernel({
  ops: ["aten::sort.stable"],
  unsigned: true,
  prepare: (call, args) => {
    const { dtype, shape, strides } = call.tensor(args.self);
    const { descending } = args;
    const dim = normalDim(args.dim, shape.length);
    const integers = DTYPES[dtype].kind === "int" || DTYPES[dtype].kind === "uint";
    const isStable = args.stable === true;
    const size = shape[dim] ?? 1;
    if (isStable || sortsByRadix(shape.length, size, { integers, descending })) {
      return planOrder(call, args, { descending, bits: { stable: true }, arrange: stableSort });
    }
    // PyTorch does not reorder along a broadcast dimension, all of whose elements are one in memory.
    if (strides[dim] === 0) return planOrder(call, args, { descending, arrange: () => {} });
    const arrange = (ordered: Ordered): void => sortRange(ordered, 0, size);
    planOrder(call, args, { descending, bits: { stable: false }, arrange });
  },
});

/** `topk(self, k, dim, largest, sorted)` */
const topk: WasmKernel = wasmKernel({
  ops: ["aten::topk"],
  prepare: (call, args) => {
    const { k, largest, sorted } = args;
    const arrange = (ordered: Ordered): void => selectFirst(ordered, k, sorted);
    if (planFirst(call, args)) return;
    planOrder(call, args, { descending: largest, ...(sorted && { bits: { stable: false } }), arrange });
  },
});

/** The dtypes whose first few elements the module finds, as it numbers them. */
const TYPES: Readonly<Partial<Record<DType, number>>> = {
  float32: 0,
  float64: 1,
  int64: 2,
  int32: 3,
  int16: 4,
  uint16: 5,
  int8: 6,
  uint8: 7,
  bool: 7,
  float16: 8,
  bfloat16: 9,
};
/** Of an element that is compared. */
const NANOSECONDS_EACH = 1;

/** Plans a few elements of many, which PyTorch finds with a heap; returns whether it does. */
function planFirst(call: KernelCall, args: OrderArgs & { readonly k: number; readonly largest: boolean }): boolean {
  const self = call.tensor(args.self);
  const { k, largest } = args;
  const dim = normalDim(args.dim, self.shape.length);
  const from = slicesOf(self, dim);
  const type = TYPES[self.dtype];
  if (type === undefined || k === 0 || k * 64 > from.size) return false;
  const [values, indices] = [call.output(0), call.output(1)];
  const [toValues, toIndices] = [slicesOf(values, dim), slicesOf(indices, dim)];
  const { selectFirst: select, selectScratch } = orderKernels(call);
  const { itemsize } = DTYPES[self.dtype];
  const lanes = from.starts.length;
  const parts = call.team.parts({ items: lanes, nanoseconds: lanes * from.size * NANOSECONDS_EACH });
  const scratchOf = partScratch(call, parts, selectScratch(k));
  const compute = (part: Part): void => {
    for (let lane = part.start; lane < part.start + part.count; lane++) {
      select(
        ...([type, addressOf(self) + itemsize * from.starts[lane]!, itemsize * from.stride] as const),
        ...([from.size, k, Number(largest)] as const),
        ...([addressOf(values) + itemsize * toValues.starts[lane]!, itemsize * toValues.stride] as const),
        ...([addressOf(indices) + 8 * toIndices.starts[lane]!, 8 * toIndices.stride, scratchOf(part)] as const),
      );
    }
  };
  call.step(call.team.step(parts, compute));
  return true;
}

/** Ops that find one element of each slice. */
const selections: readonly WasmKernel[] = SELECTION_OPS.map((op) =>
  wasmKernel({
    ops: [op],
    prepare: (call, args) => {
      const { raw, pick } = SELECTIONS[op];
      planOrder(call, args, {
        descending: false,
        raw,
        ...(op === "aten::nanmedian.dim" && { bits: { stable: true, rank: middleOfNumbers } }),
        arrange: (ordered) => {
          ordered.at[0] = pick(ordered, args.k);
        },
      });
    },
  }),
);

/** Kernels of ops that put elements into order. */
export const ORDER_KERNELS: readonly WasmKernel[] = [sort, topk, ...selections];

interface Arrangement {
  readonly descending: boolean;
  /** Keys are the elements themselves, NaN too. */
  readonly raw?: boolean;
  /** Whether float32 may be ordered by its bits, as `orderFloats` does, and whether equal elements stay in order. */
  readonly bits?: {
    readonly stable: boolean;
    /** The rank, from 1 on, of the only element that is taken of `count`, the first of them `at` and `step` apart; 0 if it is none. */
    readonly rank?: (floats: Float32Array, at: number, step: number, count: number) => number;
  };
  /** Puts positions into their order; as many as the results hold are taken from the beginning. */
  readonly arrange: (ordered: Ordered) => void;
}

interface OrderArgs {
  readonly self: TensorMeta;
  readonly dim: number;
}

function planOrder(call: KernelCall, args: OrderArgs, { descending, raw = false, bits, arrange }: Arrangement): void {
  const self = call.tensor(args.self);
  const dim = normalDim(args.dim, self.shape.length);
  const from = slicesOf(self, dim);
  const isReduced = call.output(0).shape.length < self.shape.length;
  const [values, indices] = [call.output(0), call.output(1)].map((view) => (isReduced ? kept(view, dim) : view)) as [
    TensorView,
    TensorView,
  ];
  const [toValues, toIndices] = [slicesOf(values, dim), slicesOf(indices, dim)];
  const { heap } = call;
  const kernels = orderKernels(call);
  const byBits = self.dtype === "float32" ? bits : undefined;
  const scratch = byBits && call.scratch(kernels.orderScratch(from.size));
  const ordersByBits = (lane: number): boolean => {
    if (byBits === undefined || scratch === undefined) return false;
    const { rank, stable } = byBits;
    const at = addressOf(self) + 4 * from.starts[lane]!;
    const count = rank?.(heap.f32, at / 4, from.stride, from.size) ?? toValues.size;
    // Of a rank alone each element is written over the one before.
    const [valueStride, indexStride] = rank ? [0, 0] : [4 * toValues.stride, 8 * toIndices.stride];
    const value = addressOf(values) + 4 * toValues.starts[lane]!;
    const index = addressOf(indices) + 8 * toIndices.starts[lane]!;
    return (
      count > 0 &&
      kernels.orderFloats(
        ...([at, 4 * from.stride, from.size, count, Number(descending), Number(stable)] as const),
        ...([value, valueStride, index, indexStride, scratch.handle] as const),
      ) === 1
    );
  };
  const [keys, at] = [new Float64Array(from.size), new Int32Array(from.size)];
  call.step(() => {
    const column = { dtype: self.dtype, bytes: heap.u8, stride: from.stride };
    const front = addressOf(self) / DTYPES[self.dtype].itemsize;
    const { words, perElement } = wordsOf(heap, self.dtype);
    const [source, target] = [self, values].map((view) => addressOf(view) / words.BYTES_PER_ELEMENT) as [
      number,
      number,
    ];
    const { i32 } = heap;
    for (let lane = 0; lane < from.starts.length; lane++) {
      if (ordersByBits(lane)) continue;
      const start = from.starts[lane]!;
      setKeys(keys, { ...column, start: front + start }, { descending, raw });
      for (let i = 0; i < from.size; i++) at[i] = i;
      arrange({ keys, at });
      for (let k = 0; k < perElement; k++) {
        const [x, y] = [source + start * perElement + k, target + toValues.starts[lane]! * perElement + k];
        const [step, steps] = [from.stride * perElement, toValues.stride * perElement];
        for (let i = 0; i < toValues.size; i++) words[y + i * steps] = words[x + at[i]! * step]!;
      }
      // The low and the high word of each: a bigint for each takes ten times as long.
      const first = addressOf(indices) / 4 + 2 * toIndices.starts[lane]!;
      for (let i = 0; i < toIndices.size; i++) {
        const to = first + 2 * i * toIndices.stride;
        i32[to] = at[i]!;
        i32[to + 1] = 0;
      }
    }
  });
}

/** The rank of the median of those that are numbers. */
function middleOfNumbers(floats: Float32Array, at: number, step: number, count: number): number {
  let numbers = 0;
  for (let i = 0, p = at; i < count; i++, p += step) if (!Number.isNaN(floats[p])) numbers++;
  return numbers === 0 ? 0 : ((numbers - 1) >> 1) + 1;
}

/** A result with the dimension that the op takes away. */
function kept<P extends { readonly shape: readonly number[]; readonly strides: readonly number[] }>(
  view: P,
  dim: number,
): P {
  const { shape, strides } = view;
  return { ...view, shape: shape.toSpliced(dim, 0, 1), strides: strides.toSpliced(dim, 0, 1) };
}
