import { isComplexDtype } from "@pt2/engine";
import { type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { addressOf } from "../../engine/tensor-view.ts";
import { rowsAlong } from "./arg-extremes.ts";
import { comparedAs, ELEMENTS, reductionKernels } from "./reduction-module.ts";

/** Of an element that is read. */
const NANOSECONDS_EACH = 0.5;

/** `argmax` and `argmin` of every real dtype: the first extreme, or the first NaN. Without `dim`, of the flattened tensor. */
function argReduction(op: "aten::argmax" | "aten::argmin"): WasmKernel {
  return wasmKernel({
    ops: [op],
    accepts: ({ self }) => !isComplexDtype(self.dtype),
    prepare(call, args) {
      const given = call.tensor(args.self);
      const dtype = comparedAs(given.dtype);
      const { source, rows, n } = rowsAlong(call, call.convert(given, dtype), args.dim);
      const out = call.output();
      const { argExtremes } = reductionKernels(call);
      const least = op === "aten::argmin" ? 1 : 0;
      const itemsize = dtype === "int32" ? 4 : 8;
      const parts = call.team.parts({ items: rows, nanoseconds: rows * n * NANOSECONDS_EACH });
      call.step(
        call.team.step(parts, ({ start, count }) => {
          const from = addressOf(source) + start * n * itemsize;
          argExtremes(least, ELEMENTS[dtype], from, addressOf(out) + 8 * start, count, n);
        }),
      );
    },
  });
}

export const argmaxAny: WasmKernel = argReduction("aten::argmax");
export const argminAny: WasmKernel = argReduction("aten::argmin");
