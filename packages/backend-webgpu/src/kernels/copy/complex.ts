import { isComplexDtype, partDtype, partOf } from "@pt2/engine";
import type { TensorMeta } from "@pt2/registry";
import type { WebgpuKernel } from "../../engine/kernel.ts";
import type { ComplexExpr } from "../../wgsl/scalar.ts";

/** Real or imaginary parts, which every second number is. */
export const complexPart: WebgpuKernel = {
  ops: ["aten::real", "aten::imag"],
  complex: true,
  accepts: ({ self }) => isComplexDtype((self as TensorMeta).dtype),
  prepare: (call) => call.alias(0, partOf(call.tensor("self"), call.call.record.complexPart!)),
};

/** Complex numbers of which others computed the parts. */
export const complexJoin: WebgpuKernel = {
  ops: ["aten::complex"],
  prepare(call) {
    const out = call.output();
    const dtype = partDtype(out.dtype);
    const parts = ["real", "imag"].map((name) => call.convert(call.tensor(name), dtype));
    const expr: ComplexExpr = {
      dtype: out.dtype as ComplexExpr["dtype"],
      parts: [
        { kind: "input", index: 0, dtype },
        { kind: "input", index: 1, dtype },
      ],
    };
    call.elementwise(out, parts, expr);
  },
};
