import { numel } from "@pt2/backend";
import type { DType } from "@pt2/format";
import { type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { resultIn } from "../float32.ts";
import { planDots } from "./dots.ts";
import { FLOAT64_PRODUCT, INT32_PRODUCT, INT64_PRODUCT, type Product, planProduct, stacked } from "./product.ts";

/** Products of float64 and of integers. */
export const matmulAny: WasmKernel = wasmKernel({
  ops: ["aten::mm", "aten::bmm"],
  accepts: ({ self }) => !self.dtype.startsWith("complex"),
  prepare(call, { self, mat2 }) {
    const kind = productOf(self.dtype);
    const [a, b] = [self, mat2].map((each) => stacked(call.convert(call.tensor(each), kind.result)));
    // A constant is packed once, unless a column would be.
    const isVector = b!.shape[2] === 1 || (a!.shape[1] === 1 && b!.buffer.constant === null);
    resultIn(kind.result, call, (out) => {
      if (kind === FLOAT64_PRODUCT && isVector && numel(out.shape) > 0) planDots(call, a!, b!, out);
      else planProduct(call, kind, stacked(out), call.dense(a!), b!);
    });
  },
});

/** Integers of fewer bits wrap around as the low ones of int32 do. */
function productOf(dtype: DType): Product {
  if (dtype === "float64") return FLOAT64_PRODUCT;
  return dtype === "int64" ? INT64_PRODUCT : INT32_PRODUCT;
}
