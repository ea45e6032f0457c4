import { numel } from "@pt2/backend";
import { broadcastStrides, offsetsOf } from "@pt2/engine";
import { bigints, type Elements, numbers } from "../engine/element-access.ts";
import { type WasmKernel, wasmKernel } from "../engine/kernel.ts";

/** An integer op that iterates, exact in 64 bits. */
function integerKernel(op: "aten::gcd" | "aten::lcm", combine: (a: bigint, b: bigint) => bigint): WasmKernel {
  return wasmKernel({
    ops: [op],
    prepare(call, { self, other }) {
      const out = call.output();
      const [x, y] = [self, other].map((tensor) => call.convert(call.tensor(tensor), out.dtype));
      const [from, with_] = [x!, y!].map((view) =>
        offsetsOf({ shape: out.shape, strides: broadcastStrides(view, out.shape) }),
      );
      call.step(() => {
        const [a, b, c] = [x!, y!, out].map((view) => (view.dtype === "int64" ? bigints : widened)(call.heap, view));
        for (let i = 0; i < numel(out.shape); i++) c!.set(i, combine(a!.get(from![i]!), b!.get(with_![i]!)));
      });
    },
  });
}

function widened(...[heap, view]: Parameters<typeof numbers>): Elements<bigint> {
  const elements = numbers(heap, view);
  return { get: (offset) => BigInt(elements.get(offset)), set: (offset, value) => elements.set(offset, Number(value)) };
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

export const gcd: WasmKernel = integerKernel("aten::gcd", greatestDivisor);
export const lcm: WasmKernel = integerKernel("aten::lcm", (a, b) => {
  const divisor = greatestDivisor(a, b);
  const product = divisor === 0n ? 0n : (a / divisor) * b;
  return product < 0n ? -product : product;
});
