import { isComplexDtype, slicesOf } from "@pt2/engine";
import { normalDim } from "@pt2/format";
import { numbers } from "../../engine/element-access.ts";
import { type WasmKernel, wasmKernel } from "../../engine/kernel.ts";

/** `logcumsumexp` of real numbers along one dimension, in double. */
export const logcumsumexp: WasmKernel = wasmKernel({
  ops: ["aten::logcumsumexp"],
  accepts: ({ self }) => self.shape.length > 0 && !isComplexDtype(self.dtype),
  prepare(call, args) {
    const [self, out] = [call.tensor(args.self), call.output()];
    const dim = normalDim(args.dim, self.shape.length);
    const [from, to] = [slicesOf(self, dim), slicesOf(out, dim)];
    call.step(() => {
      const [x, y] = [numbers(call.heap, self), numbers(call.heap, out)];
      for (let lane = 0; lane < from.starts.length; lane++) {
        let sum = Number.NEGATIVE_INFINITY;
        for (let i = 0; i < from.size; i++) {
          sum = logAddExp(x.get(from.starts[lane]! + i * from.stride), sum);
          y.set(to.starts[lane]! + i * to.stride, sum);
        }
      }
    });
  },
});

/** log(eᵃ + eᵇ); two infinities that are the same are their own sum. */
function logAddExp(a: number, b: number): number {
  const [low, high] = [Math.min(a, b), Math.max(a, b)];
  return low !== high || Number.isFinite(low) ? Math.log1p(Math.exp(low - high)) + high : a;
}
