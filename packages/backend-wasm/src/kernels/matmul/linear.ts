import { numel } from "@pt2/backend";
import type { Scalar } from "@pt2/registry";
import { NO_CLAMP } from "../../engine/context.ts";
import { type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { float32Result, isFloat32 } from "../float32.ts";
import { asMatrix, asRows, narrowSide, planGemm, transposed } from "./gemm.ts";

/** `linear(input[..., K], weight[N, K], bias[N]?)` */
export const linear: WasmKernel = wasmKernel({
  ops: ["aten::linear", "pt2::linear_half"],
  accepts: ({ input, weight, bias }) => isFloat32(input, weight, bias) && weight.shape.length === 2,
  clamps: () => true,
  async prepare(call, args) {
    const input = call.convert(call.tensor(args.input), "float32");
    const weight = call.tensor(args.weight);
    const bias = args.bias && call.convert(call.tensor(args.bias), "float32");
    if (isReadAsItIs(input, weight)) {
      await (await import("./linear-half.ts")).planLinearHalf(call, { input, weight, bias }, args);
      return;
    }
    const matrix = transposed(call.convert(weight, "float32"));
    float32Result(call, (out) => {
      planGemm(call, asMatrix(out), asRows(call, input), matrix, { bias, clamp: call.clamp });
    });
  },
});

/**
 * Whether a weight in half precision is multiplied as it is in memory. One of fewer columns than there are rows is small beside
 * them, and rows are what threads divide then.
 */
function isReadAsItIs(input: TensorView, { dtype, shape, buffer }: TensorView): boolean {
  const [N, K] = shape as readonly [number, number];
  const rows = numel(input.shape.slice(0, -1));
  return dtype !== "float32" && buffer.constant !== null && rows <= N && K > 0 && K % 2 === 0;
}

/** `mm(self[M, K], mat2[K, N])` */
export const mm: WasmKernel = wasmKernel({
  ops: ["aten::mm"],
  accepts: ({ self, mat2 }) => isFloat32(self, mat2),
  clamps: () => true,
  async prepare(call, { self, mat2 }) {
    const a = call.convert(call.tensor(self), "float32");
    const b = call.convert(call.tensor(mat2), "float32");
    const narrow = call.clamp === NO_CLAMP ? narrowSide(a, b) : null;
    if (narrow !== null) return (await import("./dots.ts")).planDots(call, narrow, a, b);
    float32Result(call, (out) => planGemm(call, out, a, b, { clamp: call.clamp }));
  },
});

/** `addmm(self[N], mat1[M, K], mat2[K, N])` with both factors 1: what linear layers become in ATen IR. */
export const addmm: WasmKernel = wasmKernel({
  ops: ["aten::addmm"],
  accepts({ self, mat1, mat2, alpha, beta }) {
    const { shape } = self;
    const one = (value: Scalar): boolean =>
      value === 1 || (typeof value === "object" && "float" in value && value.float === 1);
    const columns = mat2.shape[1];
    return isFloat32(self, mat1, mat2) && one(alpha) && one(beta) && shape.length === 1 && shape[0] === columns;
  },
  clamps: () => true,
  prepare(call, { self, mat1, mat2 }) {
    const [bias, a, b] = [self, mat1, mat2].map((each) => call.convert(call.tensor(each), "float32"));
    float32Result(call, (out) => planGemm(call, out, a!, b!, { bias: bias!, clamp: call.clamp }));
  },
});
