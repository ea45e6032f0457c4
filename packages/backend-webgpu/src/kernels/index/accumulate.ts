import { inParts, isComplexDtype } from "@pt2/engine";
import { DTYPES, type DType } from "@pt2/format";
import type { BinaryFn, TypedExpr } from "@pt2/registry/scalar";
import type { PlanContext } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { computeType } from "../../wgsl/storage.ts";
import type { Writes } from "./write-last.ts";

/** Dtype of words of 4 bytes in which elements of a dtype are summed up. */
export function accumulatorOf(dtype: DType): DType {
  if (isComplexDtype(dtype)) return dtype;
  return DTYPES[dtype].kind === "float" ? "float32" : "int32";
}

/**
 * Combines `value(i)` into `target`, row-major and of an accumulator's dtype, at `position(i)`, in any order. WebGPU
 * has no atomic float arithmetic: each invocation repeats a compare-and-exchange until it succeeds. Parts of complex
 * numbers are combined by themselves.
 */
export function planAccumulation(
  ctx: PlanContext,
  to: TensorView,
  from: TensorView,
  fn: BinaryFn,
  writes: Writes,
): void {
  if (writes.count === 0) return;
  const [target, values] = [inParts(to), inParts(ctx.convert(from, to.dtype))];
  const { dtype } = target;
  const pairs = dtype !== to.dtype;
  const input = (index: number): TypedExpr => ({ kind: "input", dtype, index });
  const shader = ctx.shader(`accumulate ${fn}`).read("value", values).atomic("target", target);
  shader.function("combine", { kind: "binary", dtype, fn, x: input(0), y: input(1) }, [dtype, dtype]);
  const type = computeType(dtype);
  const declarations = `${writes.declare(shader)}fn accumulate(at: u32, value: ${type}) {
  var old = atomicLoad(&target_buf[at]);
  loop {
    let next = bitcast<u32>(combine(bitcast<${type}>(old), value));
    let result = atomicCompareExchangeWeak(&target_buf[at], old, next);
    if (result.exchanged) { break; }
    old = result.old_value;
  }
}
`;
  const at = pairs ? "2u * position(i / 2u) + i % 2u" : "position(i)";
  const count = pairs ? 2 * writes.count : writes.count;
  shader.forEach(count, `accumulate(p.target_offset + ${at}, value(i));`, { declarations });
}
