import { numel } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { broadcast } from "../../shader/geometry.ts";

const DIVISOR = `fn divisor(a: i32, b: i32) -> i32 {
  var x = abs(a);
  var y = abs(b);
  while (y != 0) { let rest = x % y; x = y; y = rest; }
  return x;
}
`;

/** Makes the kernel of an integer op that needs the greatest common divisor, which a loop finds. */
function integerKernel(op: "aten::gcd" | "aten::lcm", value: string): WebgpuKernel {
  return webgpuKernel({
    ops: [op],
    fuses: true,
    prepare(call, { self, other }) {
      const { dtype, shape } = call.call.results[0] as TensorMeta;
      const count = numel(shape);
      if (count === 0) return;
      const operand = (tensor: TensorMeta): TensorView => broadcast(call.convert(call.tensor(tensor), dtype), shape);
      const shader = call.shader(op);
      shader.read("x", operand(self)).read("y", operand(other));
      shader.result("out");
      shader.forEach(count, `let d = divisor(x(i), y(i)); set_out(i, ${value});`, { declarations: DIVISOR });
    },
  });
}

/** Greatest common divisors and least common multiples. */
export const DIVISORS: readonly WebgpuKernel[] = [
  integerKernel("aten::gcd", "d"),
  integerKernel("aten::lcm", "select(abs(x(i) / max(d, 1) * y(i)), 0, d == 0)"),
];
