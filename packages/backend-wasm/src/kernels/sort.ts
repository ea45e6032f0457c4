import { lanesOf, normalDim } from "@pt2/backend/strides";
import { bigints, type Elements, mover, numbers } from "../engine/access.ts";
import type { KernelCall, WasmKernel } from "../engine/kernel.ts";

/** `sort(self, stable, dim, descending)`: always stable; NaN counts as the largest. */
export const sort: WasmKernel = {
  ops: ["aten::sort.stable"],
  prepare: (call) => planSort(call, call.arg<boolean>("descending"), null),
};

/** `topk(self, k, dim, largest, sorted)`; of equal elements the first comes first, which PyTorch leaves open. */
export const topk: WasmKernel = {
  ops: ["aten::topk"],
  prepare: (call) => planSort(call, call.arg<boolean>("largest"), call.arg<number>("k")),
};

function planSort(call: KernelCall, descending: boolean, k: number | null): void {
  const self = call.tensor("self");
  const [values, indices] = [call.output(0), call.output(1)];
  const dim = normalDim(call.arg<number>("dim"), self.shape.length);
  const [from, toValues, toIndices] = [lanesOf(self, dim), lanesOf(values, dim), lanesOf(indices, dim)];
  const kept = k ?? from.size;
  call.step(() => {
    const compare = comparison(
      self.dtype === "int64" ? bigints(call.heap, self) : numbers(call.heap, self),
      descending,
    );
    const move = mover(call.heap, self, values);
    const positions = numbers(call.heap, indices);
    const order = new Int32Array(from.size);
    for (let lane = 0; lane < from.starts.length; lane++) {
      const start = from.starts[lane]!;
      for (let i = 0; i < from.size; i++) order[i] = i;
      order.sort((a, b) => compare(start + a * from.stride, start + b * from.stride) || a - b);
      for (let i = 0; i < kept; i++) {
        move(start + order[i]! * from.stride, toValues.starts[lane]! + i * toValues.stride);
        positions.set(toIndices.starts[lane]! + i * toIndices.stride, order[i]!);
      }
    }
  });
}

function comparison(
  elements: Elements<number> | Elements<bigint>,
  descending: boolean,
): (a: number, b: number) => number {
  const sign = descending ? -1 : 1;
  return (a, b) => {
    const [x, y] = [elements.get(a), elements.get(b)];
    if (x === y) return 0;
    if (Number.isNaN(x)) return Number.isNaN(y) ? 0 : sign;
    if (Number.isNaN(y)) return -sign;
    return x < y ? -sign : x > y ? sign : 0;
  };
}
