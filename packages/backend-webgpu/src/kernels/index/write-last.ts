import { numel } from "@pt2/format";
import type { PlanContext } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import type { Shader } from "../../shader/shader.ts";

/** Writes to elements of a tensor: how many, and WGSL that declares `position(i)`, where the i-th goes. */
export interface Writes {
  readonly count: number;
  /** Whether it is known that no two go to one element. */
  readonly areApart: boolean;
  declare(shader: Shader): string;
}

/**
 * Writes `value(i)` to `out`, row-major, at `position(i)`. Where several go to one element the last one wins, as on a
 * CPU: a first pass finds out which that is, since invocations have no order.
 */
export function planLastWrites(ctx: PlanContext, out: TensorView, values: TensorView, writes: Writes): void {
  if (writes.count === 0) return;
  if (writes.areApart) {
    const shader = ctx.shader("write").read("value", values).write("out", out);
    const declarations = writes.declare(shader);
    shader.forEach(writes.count, "set_out(position(i), value(i));", { declarations });
    return;
  }
  const last = ctx.temporary("int32", [numel(out.shape)]);
  ctx.elementwise(last, [], { kind: "const", dtype: "int32", value: 0 });
  const order = ctx.shader("last write").atomic("last", last);
  const declared = writes.declare(order);
  order.forEach(writes.count, "atomicMax(&last_buf[position(i)], i + 1u);", { declarations: declared });
  const shader = ctx.shader("write").read("last", last).read("value", values).write("out", out);
  const declarations = writes.declare(shader);
  shader.forEach(writes.count, "let to = position(i); if (u32(last(to)) == i + 1u) { set_out(to, value(i)); }", {
    declarations,
  });
}
