import { DTYPES, type DType } from "@pt2/format";
import { type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { addressOf } from "../../engine/tensor-view.ts";
import { resultIn } from "../float32.ts";
import { stepOfColumns } from "../reduce/columns.ts";
import { comparedAs, ELEMENTS, reductionKernels } from "../reduce/reduction-module.ts";
import { sizesAround } from "./scan.ts";

/** Of an element that is read and written. */
const NANOSECONDS_EACH = 1.5;

/** `cummax` and `cummin` along one dimension, with positions: of equal elements, and of NaNs, the last one counts. */
function extremeKernel(op: "aten::cummax" | "aten::cummin"): WasmKernel {
  return wasmKernel({
    ops: [op],
    accepts: ({ self }) => self.shape.length > 0,
    prepare(call, { self, dim }) {
      const dtype = copiedAs(self.dtype);
      const { itemsize } = DTYPES[dtype];
      const source = call.dense(call.convert(call.tensor(self), dtype));
      const sizes = sizesAround(source.shape, dim);
      const { n, inner } = sizes;
      const positions = call.output(1);
      const { runningExtremes } = reductionKernels(call);
      const least = op === "aten::cummin" ? 1 : 0;
      resultIn(dtype, call, (values) =>
        stepOfColumns(call, sizes, NANOSECONDS_EACH, ({ outer, columns, from }) => {
          const [x, y] = [source, values].map((view) => addressOf(view) + itemsize * from) as [number, number];
          const at = addressOf(positions) + 8 * from;
          runningExtremes(least, ELEMENTS[dtype], x, y, at, outer, n, columns, inner);
        }),
      );
    },
  });
}

function copiedAs(dtype: DType): "float32" | "float64" | "int32" | "int64" {
  return DTYPES[dtype].kind === "float" && dtype !== "float64" ? "float32" : comparedAs(dtype);
}

export const cummax: WasmKernel = extremeKernel("aten::cummax");
export const cummin: WasmKernel = extremeKernel("aten::cummin");
