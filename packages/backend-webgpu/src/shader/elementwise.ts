import { elementCount } from "@pt2/format";
import type { TypedExpr } from "@pt2/registry/scalar";
import type { PlanContext } from "../engine/kernel.ts";
import type { Place } from "../engine/place.ts";
import { broadcast } from "./geometry.ts";
import { isVector, LANES } from "./operand.ts";

/** One dispatch that writes `expr` of the inputs, each broadcast to `out`. */
export function planElementwise(ctx: PlanContext, out: Place, inputs: readonly Place[], expr: TypedExpr): void {
  const count = elementCount(out.shape);
  const operands = inputs.map((input) => broadcast(input, out.shape));
  const single = inputs.map((input) => elementCount(input.shape) === 1);
  const vector = isVector(out) && operands.every((operand, i) => single[i] || isVector(operand));
  const shader = ctx.shader("elementwise");
  for (const [i, operand] of operands.entries()) shader.read(`x${i}`, operand, { vector: vector && !single[i] });
  shader.write("out", out, { vector });
  shader.function(
    "f",
    expr,
    inputs.map(({ dtype }) => dtype),
  );
  if (!vector) {
    shader.forEach(count, `set_out(i, f(${operands.map((_, k) => `x${k}(i)`).join(", ")}));`);
    return;
  }
  const loads = operands.map((_, k) => (single[k] ? `let v${k} = x${k}(0u);` : `let v${k} = x${k}4(i);`));
  const lanes = [0, 1, 2, 3].map(
    (lane) => `f(${single.map((one, k) => (one ? `v${k}` : `v${k}[${lane}]`)).join(", ")})`,
  );
  shader.forEach(count / LANES, `${loads.join(" ")}\n  set_out4(i, vec4(${lanes.join(", ")}));`);
}
