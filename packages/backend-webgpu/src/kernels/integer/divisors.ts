import { type DType, numel } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { broadcast } from "../../shader/geometry.ts";

/** PyTorch's own loop: the smallest number of a dtype has no opposite, which decides about the sign of its divisors. */
function divisor(bits: number): string {
  const magnitude = (name: string): string => (bits < 32 ? `extractBits(abs(${name}), 0u, ${bits}u)` : `abs(${name})`);
  return `fn divisor(a: i32, b: i32) -> i32 {
  var x = ${magnitude("a")};
  var y = ${magnitude("b")};
  while (x != 0) { let rest = y % x; y = x; x = rest; }
  return y;
}
`;
}

/** The bits of a signed dtype that is narrower than what a GPU computes with. */
function bitsOf(dtype: DType): number {
  return dtype === "int8" ? 8 : dtype === "int16" ? 16 : 32;
}

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
      shader.forEach(count, `let d = divisor(x(i), y(i)); set_out(i, ${value});`, {
        declarations: divisor(bitsOf(dtype)),
      });
    },
  });
}

/** Greatest common divisors and least common multiples. */
export const DIVISORS: readonly WebgpuKernel[] = [
  integerKernel("aten::gcd", "d"),
  integerKernel("aten::lcm", "select(abs(x(i) / select(d, 1, d == 0) * y(i)), 0, d == 0)"),
];
