import type { DType } from "@pt2/format";
import { type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { resultIn } from "../float32.ts";
import { planDots } from "./dots.ts";
import { narrowSide } from "./gemm.ts";
import { FLOAT64_PRODUCT, INT32_PRODUCT, INT64_PRODUCT, type Product, planProduct, stacked } from "./product.ts";

/** Products of float64 and of integers. */
export const matmulAny: WasmKernel = wasmKernel({
  ops: ["aten::mm", "aten::bmm"],
  accepts: ({ self }) => !self.dtype.startsWith("complex"),
  prepare(call, { self, mat2 }) {
    const kind = productOf(self.dtype);
    const [a, b] = [self, mat2].map((each) => call.convert(call.tensor(each), kind.result)) as [TensorView, TensorView];
    const narrow = kind === FLOAT64_PRODUCT ? narrowSide(a, b) : null;
    if (narrow !== null) return planDots(call, narrow, a, b);
    resultIn(kind.result, call, (out) => planProduct(call, kind, stacked(out), call.dense(stacked(a)), stacked(b)));
  },
});

/** Integers of fewer bits wrap around as the low ones of int32 do. */
function productOf(dtype: DType): Product {
  if (dtype === "float64") return FLOAT64_PRODUCT;
  return dtype === "int64" ? INT64_PRODUCT : INT32_PRODUCT;
}
