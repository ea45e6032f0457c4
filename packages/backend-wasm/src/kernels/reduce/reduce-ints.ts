import { numel } from "@pt2/backend";
import { DTYPES, type DType } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { LINE_FLOATS, type Part } from "../../threads/team.ts";
import { resultIn } from "../float32.ts";
import { type Columns, columnsOf, outputStrides, reducedDims } from "./columns.ts";

type ReductionOp =
  | "aten::sum"
  | "aten::sum.dim_IntList"
  | "aten::prod"
  | "aten::prod.dim_int"
  | "aten::amax"
  | "aten::amin";

/** As the kernel numbers them. */
const SUM = 0;
const PROD = 1;
const AMAX = 2;
const AMIN = 3;

const INTEGERS: ReadonlySet<DType> = new Set<DType>(["bool", "uint8", "int8", "int16", "int32", "int64"]);

/** A reduction of integers, of which sums and products are int64. */
function intReduction(ops: readonly ReductionOp[], op: number): WasmKernel {
  const widens = op === SUM || op === PROD;
  return wasmKernel({
    ops,
    accepts: ({ self, dtype }) =>
      INTEGERS.has(self.dtype) && (dtype ?? "int64") === "int64" && numel(self.shape) > 0 && self.shape.length > 0,
    prepare(call, { self, dim }) {
      const given = call.tensor(self);
      const input = call.convert(given, op === PROD ? "int64" : readAs(given.dtype, op === SUM));
      const dims = typeof dim === "number" ? [dim] : dim;
      const columns = columnsOf(call, input, reducedDims(dims, input.shape.length));
      const strides = outputStrides((call.call.results[0] as TensorMeta).shape, columns, input.shape.length);
      resultIn(widens ? "int64" : input.dtype, call, (out) => planInts(call, columns, out, op), { strides });
    },
  });
}

/** What the kernel reads: bytes that are summed as they are, which a large mask consists of. */
function readAs(dtype: DType, isSum: boolean): DType {
  if (isSum && (dtype === "bool" || dtype === "uint8")) return dtype;
  return dtype === "int64" ? dtype : "int32";
}

function planInts(call: KernelCall, { source, outer, n, inner }: Columns, out: TensorView, op: number): void {
  const { reduceInts } = call.kernels;
  const [from, to] = [source, out].map(({ dtype }) => DTYPES[dtype].itemsize) as [number, number];
  const byColumns = outer < inner;
  const division = byColumns ? { items: inner, unit: LINE_FLOATS } : { items: outer };
  const parts = call.team.parts({ ...division, nanoseconds: outer * n * inner * NANOSECONDS_EACH });
  const compute = ({ start, count }: Part): void => {
    const first = addressOf(source) + from * (byColumns ? start : start * n * inner);
    const target = addressOf(out) + to * (byColumns ? start : start * inner);
    const [blocks, columns] = byColumns ? [outer, count] : [count, inner];
    reduceInts(op, from, first, target, blocks, n, columns, inner);
  };
  call.step(call.team.step(parts, compute));
}

/** Of an element that is read. */
const NANOSECONDS_EACH = 0.3;

export const INT_REDUCTIONS: readonly WasmKernel[] = [
  intReduction(["aten::sum", "aten::sum.dim_IntList"], SUM),
  intReduction(["aten::prod", "aten::prod.dim_int"], PROD),
  intReduction(["aten::amax"], AMAX),
  intReduction(["aten::amin"], AMIN),
];
