import type { DType } from "@pt2/format";
import { type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { resultIn } from "../float32.ts";
import { FLOAT64_PRODUCT, INT32_PRODUCT, INT64_PRODUCT, type Product, planProduct, stacked } from "./product.ts";

/** Products of float64 and of integers. */
export const matmulAny: WasmKernel = wasmKernel({
  ops: ["aten::mm", "aten::bmm"],
  accepts: ({ self }) => !self.dtype.startsWith("complex"),
  prepare(call, { self, mat2 }) {
    const kind = productOf(self.dtype);
    const [a, b] = [self, mat2].map((each) => stacked(call.convert(call.tensor(each), kind.result)));
    resultIn(kind.result, call, (out) => planProduct(call, kind, stacked(out), call.dense(a!), b!));
  },
});

/** Integers of fewer bits wrap around as the low ones of int32 do. */
function productOf(dtype: DType): Product {
  if (dtype === "float64") return FLOAT64_PRODUCT;
  return dtype === "int64" ? INT64_PRODUCT : INT32_PRODUCT;
}
