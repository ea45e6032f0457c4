import { checkInside, normalDim } from "@pt2/backend/strides";
import type { WebgpuKernel } from "../../engine/kernel.ts";
import { elementsIn, type Place } from "../../engine/place.ts";

/** A copy of `self` whose part that a view would show holds `src`. */
function scatterView(op: string, view: (out: Place, arg: <T>(name: string) => T) => Place): WebgpuKernel {
  return {
    ops: [op],
    complex: true,
    prepare(call) {
      const out = call.output();
      call.copy(call.tensor("self"), out);
      const part = view(out, (name) => call.arg(name));
      checkInside(part, elementsIn(part, call.adapter));
      call.copy(call.convert(call.tensor("src"), out.dtype), part);
    },
  };
}

/** `diagonal_scatter(self, src, offset, dim1, dim2)` */
export const diagonalScatter: WebgpuKernel = scatterView("aten::diagonal_scatter", (out, arg) => {
  const rank = out.shape.length;
  const [a, b] = [normalDim(arg<number>("dim1"), rank), normalDim(arg<number>("dim2"), rank)];
  const offset = arg<number>("offset");
  const [rows, columns] = [out.shape[a]!, out.shape[b]!];
  const size = Math.max(0, offset >= 0 ? Math.min(rows, columns - offset) : Math.min(rows + offset, columns));
  const start = offset >= 0 ? offset * out.strides[b]! : -offset * out.strides[a]!;
  const kept = [...out.shape.keys()].filter((d) => d !== a && d !== b);
  return {
    ...out,
    shape: [...kept.map((d) => out.shape[d]!), size],
    strides: [...kept.map((d) => out.strides[d]!), out.strides[a]! + out.strides[b]!],
    offset: out.offset + (size > 0 ? start : 0),
  };
});

/** `as_strided_scatter(self, src, size, stride, storage_offset)` over row-major memory. */
export const asStridedScatter: WebgpuKernel = scatterView("aten::as_strided_scatter", (out, arg) => ({
  ...out,
  shape: arg<readonly number[]>("size"),
  strides: arg<readonly number[]>("stride"),
  offset: arg<number | null>("storage_offset") ?? 0,
}));
