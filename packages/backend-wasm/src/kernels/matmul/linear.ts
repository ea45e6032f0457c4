import type { WasmKernel } from "../../engine/kernel.ts";
import { float32Result, isFloat32 } from "../float32.ts";
import { asRows, planGemm, transposed } from "./gemm.ts";

/** `linear(input[..., K], weight[N, K], bias[N]?)` */
export const linear: WasmKernel = {
  ops: ["aten::linear"],
  accepts: (args) =>
    isFloat32(args, "input", "weight", "bias") && (args["weight"] as { shape: readonly number[] }).shape.length === 2,
  clamps: () => true,
  prepare(call) {
    const input = call.convert(call.tensor("input"), "float32");
    const weight = call.convert(call.tensor("weight"), "float32");
    const bias = call.optional("bias");
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
};

/** `mm(self[M, K], mat2[K, N])` */
export const mm: WasmKernel = {
  ops: ["aten::mm"],
  accepts: (args) => isFloat32(args, "self", "mat2"),
  clamps: () => true,
  prepare(call) {
    const a = call.convert(call.tensor("self"), "float32");
    const b = call.convert(call.tensor("mat2"), "float32");
    float32Result(call, (out) => planGemm(call, out, a, b, { clamp: call.clamp }));
  },
};

/** `addmm(self[N], mat1[M, K], mat2[K, N])` with both factors 1: what linear layers become in ATen IR. */
export const addmm: WasmKernel = {
  ops: ["aten::addmm"],
  accepts(args) {
    const { shape } = args["self"] as { shape: readonly number[] };
    const one = (value: unknown): boolean =>
      value === 1 || (typeof value === "object" && value !== null && "float" in value && value.float === 1);
    const columns = (args["mat2"] as { shape: readonly number[] }).shape[1];
    return (
      isFloat32(args, "self", "mat1", "mat2") &&
      one(args["alpha"]) &&
      one(args["beta"]) &&
      shape.length === 1 &&
      shape[0] === columns
    );
  },
  clamps: () => true,
  prepare(call) {
    const [bias, a, b] = ["self", "mat1", "mat2"].map((name) => call.convert(call.tensor(name), "float32"));
    float32Result(call, (out) => planGemm(call, out, a!, b!, { bias: bias!, clamp: call.clamp }));
  },
};
