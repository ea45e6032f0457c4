import { numel } from "@pt2/backend";
import { broadcastStrides, offsetsOf } from "@pt2/engine";
import { DTYPES } from "@pt2/format";
import { bigints, type Elements, numbers } from "../engine/element-access.ts";
import { type WasmKernel, wasmKernel } from "../engine/kernel.ts";

/** Wraps a number around as one of a type of C++ does. */
type Wrap = (value: bigint) => bigint;

/** An integer op that iterates, exact in 64 bits. `combine` is told how elements wrap around, and what C++ computes with. */
function integerKernel(
  op: "aten::gcd" | "aten::lcm",
  combine: (a: bigint, b: bigint, element: Wrap, computed: Wrap) => bigint,
): WasmKernel {
  return wasmKernel({
    ops: [op],
    prepare(call, { self, other }) {
      const out = call.output();
      const [x, y] = [self, other].map((tensor) => call.convert(call.tensor(tensor), out.dtype));
      const [from, with_] = [x!, y!].map((view) =>
        offsetsOf({ shape: out.shape, strides: broadcastStrides(view, out.shape) }),
      );
      const { kind, itemsize } = DTYPES[out.dtype];
      const signed =
        (bits: number): Wrap =>
        (value) =>
          BigInt.asIntN(bits, value);
      const element: Wrap = kind === "uint" ? (value) => value : signed(8 * itemsize);
      const computed = signed(Math.max(32, 8 * itemsize));
      call.step(() => {
        const [a, b, c] = [x!, y!, out].map((view) => (view.dtype === "int64" ? bigints : widened)(call.heap, view));
        for (let i = 0; i < numel(out.shape); i++)
          c!.set(i, combine(a!.get(from![i]!), b!.get(with_![i]!), element, computed));
      });
    },
  });
}

function widened(...[heap, view]: Parameters<typeof numbers>): Elements<bigint> {
  const elements = numbers(heap, view);
  return { get: (offset) => BigInt(elements.get(offset)), set: (offset, value) => elements.set(offset, Number(value)) };
}

function magnitude(value: bigint, wrap: Wrap): bigint {
  return wrap(value < 0n ? -value : value);
}

/** PyTorch's own loop: the smallest number of a type has no opposite, which decides about the sign of its divisors. */
function greatestDivisor(a: bigint, b: bigint, wrap: Wrap): bigint {
  let [x, y] = [magnitude(a, wrap), magnitude(b, wrap)];
  while (x !== 0n) [x, y] = [y % x, x];
  return y;
}

export const gcd: WasmKernel = integerKernel("aten::gcd", greatestDivisor);
export const lcm: WasmKernel = integerKernel("aten::lcm", (a, b, element, computed) => {
  const divisor = greatestDivisor(a, b, element);
  // The product wraps around before its sign is dropped.
  return divisor === 0n ? 0n : magnitude(computed((a / divisor) * b), computed);
});
