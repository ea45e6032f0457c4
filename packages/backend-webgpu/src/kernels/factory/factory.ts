import { isComplexDtype, numberOf, partOf } from "@pt2/engine";
import { DTYPES, numel } from "@pt2/format";
import { isTensor, type TensorMeta } from "@pt2/registry";
import { castTo } from "@pt2/registry/scalar";
import { type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";
import { webgpuError } from "../../webgpu-errors.ts";
import { computeType } from "../../wgsl/storage.ts";

/** `arange(start, end, step)`; each element is start + i·step, not a running sum. */
const arange: WebgpuKernel = webgpuKernel({
  ops: ["aten::arange.start_step"],
  fuses: true,
  prepare(call, args) {
    const { dtype, shape } = call.call.results[0] as TensorMeta;
    const count = numel(shape);
    if (count === 0) return;
    const [start, step] = [Number(numberOf(args.start)), Number(numberOf(args.step))];
    const shader = call.shader("arange");
    if (computeType(dtype) === "i32") {
      // PyTorch counts the elements before it leaves out fractions.
      const [first, each] = [Math.trunc(start), Math.trunc(step)];
      if (dtype === "int64") requireInt32(first + (count - 1) * each);
      shader.i32("start", first).i32("step", each).result("out");
      shader.forEach(count, "set_out(i, p.start + i32(i) * p.step);");
      return;
    }
    shader.f32("start", start).f32("step", step).result("out");
    shader.forEach(count, "set_out(i, fma(f32(i), p.step, p.start));");
  },
});

/** Refuses the last of a range, since int64 has 32 bits here. */
function requireInt32(last: number): void {
  if (Math.trunc(last) === (last | 0)) return;
  throw webgpuError("webgpu.int64-range", {
    what: `A range of int64 ends with ${last}, which does not fit 32 bits`,
    advice: "Use smaller numbers, or another backend.",
    details: { value: String(last) },
  });
}

/** `full(size, fill_value)` and `empty`, whose contents PyTorch leaves open: zeros here. */
const full: WebgpuKernel = webgpuKernel({
  ops: ["aten::full"],
  unsigned: true,
  complex: true,
  accepts: ({ fill_value }) => !isTensor(fill_value),
  prepare(call, { fill_value: fill }) {
    const out = call.output();
    const value = numberOf(fill);
    if (isComplexDtype(out.dtype)) {
      const parts = [value, typeof fill === "object" && "im" in fill ? fill.im : 0];
      for (const part of [0, 1] as const) {
        const number = Number(parts[part]);
        call.elementwise(partOf(out, part), [], { kind: "const", dtype: "float32", value: number });
      }
      return;
    }
    const float = typeof value === "number" && DTYPES[out.dtype].kind === "float";
    const dtype = float ? "float32" : typeof value === "bigint" || Number.isInteger(value) ? "int64" : "float32";
    call.elementwise(out, [], castTo(out.dtype, { kind: "const", dtype, value }));
  },
});

/** Tensors made from numbers. */
export const FACTORIES: readonly WebgpuKernel[] = [arange, full];
