import { isComplexDtype } from "@pt2/engine";
import { DTYPES, type DType, isSmallFloat } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { resultIn } from "../float32.ts";
import { columnsOf, outputStrides, reducedDims, stepOfColumns } from "./columns.ts";
import { comparedAs, ELEMENTS, type ElementDType, reductionKernels } from "./reduction-module.ts";

type ReductionOp =
  | "aten::sum"
  | "aten::sum.dim_IntList"
  | "aten::prod"
  | "aten::prod.dim_int"
  | "aten::mean"
  | "aten::mean.dim"
  | "aten::amax"
  | "aten::amin";

/** As the module numbers them; a mean is a sum that is divided. */
const REDUCTIONS = { sum: 0, prod: 1, amax: 2, amin: 3, mean: 0 } as const;
type Reduction = keyof typeof REDUCTIONS;

/** Reductions of every real dtype over any dimensions; sums and products of floats run in double. */
function generalReduction(ops: readonly ReductionOp[], reduction: Reduction): WasmKernel {
  return wasmKernel({
    ops,
    accepts: ({ self, dtype }) => !isComplexDtype(self.dtype) && !(dtype && isComplexDtype(dtype)),
    prepare(call, { self, dim }) {
      const result = call.call.results[0] as TensorMeta;
      const given = call.tensor(self);
      const isExtreme = reduction === "amax" || reduction === "amin";
      const read = isExtreme ? comparedAs(given.dtype) : readAs(result.dtype, given.dtype, reduction);
      const computed = isExtreme ? read : DTYPES[read].kind === "float" ? "float64" : "int64";
      const elements = isExtreme ? given : rounded(call, given, result.dtype, reduction);
      const dims = reducedDims(typeof dim === "number" ? [dim] : dim, given.shape.length);
      const columns = columnsOf(call, call.convert(elements, read), dims);
      const { source, n, inner } = columns;
      const { reduce } = reductionKernels(call);
      const [op, type] = [REDUCTIONS[reduction], ELEMENTS[read]];
      const divisor = reduction === "mean" ? n : 1;
      resultIn(
        computed,
        call,
        (out) =>
          stepOfColumns(call, columns, NANOSECONDS_EACH, (part) => {
            const from = addressOf(source) + DTYPES[read].itemsize * part.from;
            const to = addressOf(out) + DTYPES[computed].itemsize * part.to;
            reduce(op, type, from, to, part.outer, n, part.columns, inner, divisor);
          }),
        { strides: outputStrides(result.shape, columns, given.shape.length) },
      );
    },
  });
}

/** Of an element that is read. */
const NANOSECONDS_EACH = 0.3;

/** Returns what the module reads for a sum or product: bytes that are summed as they are, which a large mask consists of. */
function readAs(result: DType, given: DType, reduction: Reduction): ElementDType {
  if (DTYPES[result].kind === "float") return result === "float64" ? result : "float32";
  if (reduction === "prod") return "int64";
  const dtype = isWidened(given, result) ? given : result;
  return dtype === "bool" || dtype === "uint8" || dtype === "int64" ? dtype : "int32";
}

/**
 * Converts elements to the result's dtype first, in which a sum of bools counts: to float16 or bfloat16 before they are added, but
 * not before they are averaged.
 */
function rounded(call: KernelCall, given: TensorView, result: DType, reduction: Reduction): TensorView {
  const asGiven = isWidened(given.dtype, result) || (reduction === "mean" && isSmallFloat(result));
  return asGiven ? given : call.convert(given, result);
}

/** Whether an int64 result needs no conversion of elements before they are read. */
function isWidened(given: DType, result: DType): boolean {
  return result === "int64" && DTYPES[given].kind !== "float";
}

export const GENERAL_REDUCTIONS: readonly WasmKernel[] = [
  generalReduction(["aten::sum", "aten::sum.dim_IntList"], "sum"),
  generalReduction(["aten::prod", "aten::prod.dim_int"], "prod"),
  generalReduction(["aten::mean", "aten::mean.dim"], "mean"),
  generalReduction(["aten::amax"], "amax"),
  generalReduction(["aten::amin"], "amin"),
];
