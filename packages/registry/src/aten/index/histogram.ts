import { defineOp, type OpRecord } from "../../op.ts";
import { check } from "../support/check.ts";
import { isFloat } from "../support/dtypes.ts";

/** Counting how often values occur. */
export const HISTOGRAM_OPS: readonly OpRecord[] = [
  defineOp("aten::bincount(Tensor self, Tensor? weights=None, SymInt minlength=0) -> Tensor", {
    infer: ({ weights, minlength }) => {
      const dtype = weights === null ? "int64" : weights.dtype === "float32" ? "float32" : "float64";
      return { dtype, shape: [minlength] };
    },
    dynamic: true,
  }),
  defineOp("aten::histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor", {
    infer: ({ self, bins }) => {
      check(bins > 0, "torch.histc(): bins must be > 0");
      check(isFloat(self.dtype), () => `"histogram_cpu" not implemented for ${self.dtype}`);
      return { dtype: self.dtype, shape: [bins] };
    },
  }),
];
