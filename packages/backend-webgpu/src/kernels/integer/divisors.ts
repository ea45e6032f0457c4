import { numel } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import type { WebgpuKernel } from "../../engine/kernel.ts";
import { broadcast } from "../../shader/geometry.ts";

const DIVISOR = `fn divisor(a: i32, b: i32) -> i32 {
  var x = abs(a);
  var y = abs(b);
  while (y != 0) { let rest = x % y; x = y; y = rest; }
  return x;
}
`;

/** An integer op that iterates. */
function integerKernel(op: string, value: string): WebgpuKernel {
  return {
    ops: [op],
    fuses: true,
    prepare(call) {
      const { dtype, shape } = call.call.results[0] as TensorMeta;
      const count = numel(shape);
      if (count === 0) return;
      const shader = call.shader(op);
      for (const name of ["self", "other"]) {
        shader.read(name === "self" ? "x" : "y", broadcast(call.convert(call.tensor(name), dtype), shape));
      }
      shader.result("out");
      shader.forEach(count, `let d = divisor(x(i), y(i)); set_out(i, ${value});`, { declarations: DIVISOR });
    },
  };
}

/** Greatest common divisors and least common multiples. */
export const DIVISORS: readonly WebgpuKernel[] = [
  integerKernel("aten::gcd", "d"),
  integerKernel("aten::lcm", "select(abs(x(i) / max(d, 1) * y(i)), 0, d == 0)"),
];
