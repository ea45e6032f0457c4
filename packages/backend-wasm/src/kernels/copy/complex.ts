import { type ComplexExpr, isComplexDtype, partDtype, partOf } from "@pt2/engine";
import { type WasmKernel, wasmKernel } from "../../engine/kernel.ts";

/** Real or imaginary parts: a view of every second number. */
export const complexPart: WasmKernel = wasmKernel({
  ops: ["aten::real", "aten::imag"],
  accepts: ({ self }) => isComplexDtype(self.dtype),
  prepare: (call, { self }) => call.alias(0, partOf(call.tensor(self), call.call.record.complexPart!)),
});

/** Complex numbers of which others computed the parts. */
export const complexJoin: WasmKernel = wasmKernel({
  ops: ["aten::complex"],
  prepare(call, { real, imag }) {
    const out = call.output();
    const dtype = partDtype(out.dtype);
    const parts = [real, imag].map((tensor) => call.convert(call.tensor(tensor), dtype));
    const expr: ComplexExpr = {
      dtype: out.dtype as ComplexExpr["dtype"],
      parts: [
        { kind: "input", index: 0, dtype },
        { kind: "input", index: 1, dtype },
      ],
    };
    call.elementwise(out, parts, expr);
  },
});
