import type { Scalar } from "@pt2/registry";
import { NO_CLAMP } from "../../engine/context.ts";
import { type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { float32Result, isFloat32 } from "../float32.ts";
import { asRows, narrowSide, planGemm, transposed } from "./gemm.ts";

/** `linear(input[..., K], weight[N, K], bias[N]?)` */
export const linear: WasmKernel = wasmKernel({
  ops: ["aten::linear"],
  accepts: ({ input, weight, bias }) => isFloat32(input, weight, bias) && weight.shape.length === 2,
  clamps: () => true,
  prepare(call, args) {
    const input = call.convert(call.tensor(args.input), "float32");
    const weight = call.convert(call.tensor(args.weight), "float32");
    const bias = call.optional(args.bias);
    float32Result(call, (out) => {
      const flat = {
        ...out,
        shape: [out.shape.slice(0, -1).reduce((n, s) => n * s, 1), weight.shape[0]!],
        strides: [weight.shape[0]!, 1],
      };
      planGemm(call, flat, asRows(call, input), transposed(weight), {
        bias: bias && call.convert(bias, "float32"),
        clamp: call.clamp,
      });
    });
  },
});

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
