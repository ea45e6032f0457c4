import { DTYPES, type DType } from "@pt2/format";
import type { BinaryFn, TypedExpr } from "@pt2/registry/scalar";
import type { PlanContext } from "../../engine/kernel.ts";
import type { Place } from "../../engine/place.ts";
import { computeType } from "../../wgsl/storage.ts";
import type { Writes } from "./write-last.ts";

/** Dtype of 4 bytes in which elements of a dtype are summed up. */
export function accumulatorOf(dtype: DType): DType {
  return DTYPES[dtype].kind === "float" ? "float32" : "int32";
}

/**
 * Combines `value(i)` into `target`, row-major and of an accumulator's dtype, at `position(i)`, in any order. WebGPU has
 * no atomic float arithmetic: each invocation tries until nobody came between.
 */
export function planAccumulation(ctx: PlanContext, target: Place, values: Place, fn: BinaryFn, writes: Writes): void {
  if (writes.count === 0) return;
  const { dtype } = target;
  const input = (index: number): TypedExpr => ({ kind: "input", dtype, index });
  const shader = ctx.shader(`accumulate ${fn}`).read("value", ctx.convert(values, dtype)).atomic("target", target);
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
  shader.forEach(writes.count, "accumulate(p.target_offset + position(i), value(i));", { declarations });
}
