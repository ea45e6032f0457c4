import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { isComplex } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";
import { pooledShape, type WindowArgs, windowOf } from "./window.ts";

/** The arguments of average pooling. */
export type AvgPool = WindowArgs & {
  readonly self: TensorMeta;
  readonly count_include_pad: boolean;
  readonly divisor_override: number | null;
};

/** Defines average pooling in one and two dimensions. */
export const AVG_POOL_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor",
    { window: { rank: 2, reduce: "mean" }, infer: (args) => averaged("avg_pool2d", args, 2) },
  ),
  defineOp(
    "aten::avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], bool ceil_mode=False, bool count_include_pad=True) -> Tensor",
    {
      window: { rank: 1, reduce: "mean" },
      decompose: (args, b) => {
        const e = emit(b);
        const { kernel, stride, padding } = windowOf("avg_pool1d", args, 1);
        const window = { kernel_size: [1, ...kernel], stride: [1, ...stride], padding: [0, ...padding] };
        return e.squeeze(b.tensor("aten::avg_pool2d", { ...args, ...window, self: e.unsqueeze(args.self, -2) }), -2);
      },
    },
  ),
];

/** Infers the averages over windows. */
export function averaged(op: string, args: AvgPool, spatial: number): TensorMeta {
  check(
    args.self.dtype !== "bool" && !isComplex(args.self.dtype),
    () => `${op} not implemented for ${args.self.dtype}`,
  );
  check(args.divisor_override !== 0, "divisor must be not zero");
  return { dtype: args.self.dtype, shape: pooledShape(op, args.self, windowOf(op, args, spatial)) };
}
