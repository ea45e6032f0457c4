import { defineOp, type OpRecord } from "../../op.ts";
import { check } from "../support/check.ts";
import { wrapDim } from "../support/dims.ts";

/** Defines reductions of segments, and combinations of elements. */
export const SEGMENT_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::segment_reduce(Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None, Tensor? offsets=None, int axis=0, bool unsafe=False, Scalar? initial=None) -> Tensor",
    {
      infer({ data, reduce, lengths, offsets, axis }) {
        check(
          ["max", "mean", "min", "sum", "prod"].includes(reduce),
          () => `segment_reduce(): reduction "${reduce}" is not supported`,
        );
        const at = wrapDim(axis, data.shape.length);
        check(lengths !== null || offsets !== null, "segment_reduce(): Either lengths or offsets must be defined.");
        const segments = lengths === null ? offsets!.shape.at(-1)! - 1 : lengths.shape.at(-1)!;
        return { dtype: data.dtype, shape: data.shape.map((n, d) => (d === at ? segments : n)) };
      },
    },
  ),
  defineOp("aten::combinations(Tensor self, int r=2, bool with_replacement=False) -> Tensor", {
    infer({ self, r, with_replacement }) {
      check(self.shape.length === 1, `Expect a 1D vector, but got shape [${self.shape}]`);
      check(r >= 0, `Expect a non-negative number, but got ${r}`);
      const items = self.shape[0]! + (with_replacement ? Math.max(0, r - 1) : 0);
      return { dtype: self.dtype, shape: r === 0 ? [0] : [choose(items, r), r] };
    },
  }),
];

/** Returns the binomial coefficient. */
function choose(n: number, r: number): number {
  let result = 1;
  for (let i = 1; i <= r; i++) result = (result * (n - r + i)) / i;
  return Math.max(0, Math.round(result));
}
