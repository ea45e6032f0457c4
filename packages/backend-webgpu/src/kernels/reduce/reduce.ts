import { isComplexDtype } from "@pt2/engine";
import { DTYPES, type DType, isSmallFloat } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import type { TypedExpr } from "@pt2/registry/scalar";
import { type KernelCall, type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import type { Shader } from "../../shader/shader.ts";
import { computeType } from "../../wgsl/storage.ts";
import { isCooperative, planCooperativeReduction } from "./cooperative-reduction.ts";
import { type ReducedLayout, readLanes, reducedLayout } from "./reduced-layout.ts";
import type { Reduction } from "./reduction.ts";

const { POSITIVE_INFINITY, NEGATIVE_INFINITY } = Number;
const SUM: Reduction = { fn: "add", start: [0, 0], converts: true, complex: true };
const MEAN: Reduction = { ...SUM, averages: true };
const PROD: Reduction = { fn: "mul", start: [1, 1], converts: true, complex: true };
const AMAX: Reduction = { fn: "max", start: [NEGATIVE_INFINITY, -(2 ** 31)], converts: false, complex: false };
const AMIN: Reduction = { fn: "min", start: [POSITIVE_INFINITY, 2 ** 31 - 1], converts: false, complex: false };

/** Elements that one invocation reduces in one go: partial results keep rounding errors of long sums small. */
const BLOCK = 64;
/** Pieces that a long lane is cut into at most. */
const PIECES = 256;
/** Results are reduced by several invocations where there are fewer of them than this; a CPU needs few invocations. */
const FEW = { gpu: 4096, cpu: 64 };

type ReductionOp =
  | "aten::sum"
  | "aten::sum.dim_IntList"
  | "aten::mean"
  | "aten::mean.dim"
  | "aten::prod"
  | "aten::prod.dim_int"
  | "aten::amax"
  | "aten::amin";

function reduction(ops: readonly ReductionOp[], rule: Reduction): WebgpuKernel {
  return webgpuKernel({
    ops,
    complex: rule.complex,
    fuses: true,
    prepare(call, args) {
      const { dtype } = call.call.results[0] as TensorMeta;
      const given = call.tensor(args.self);
      // Elements are rounded to their float16 or bfloat16 before they are added, however wide the sum is, except of a mean; bools
      // are 0 or 1.
      const isNarrow = dtype === "bool" || (isSmallFloat(dtype) && rule.averages !== true);
      const narrow = rule.converts && isNarrow ? call.convert(given, dtype) : given;
      const self = call.convert(narrow, wideEnough(rule.converts ? dtype : given.dtype));
      const layout = reducedLayout(self, args.dim);
      if (layout.outer > 0) planFold(call, self, layout, rule);
    },
  });
}

/** Half-precision results are rounded once, at the end; what is narrower than 32 bits is reduced in 32. */
function wideEnough(dtype: DType): DType {
  if (isComplexDtype(dtype)) return dtype;
  return DTYPES[dtype].kind === "float" ? "float32" : "int32";
}

/**
 * Lanes that are few and long are cut into pieces, so that the device has enough to do: a first shader reduces each
 * piece, and the last reduces the partial results.
 */
function planFold(call: KernelCall, self: TensorView, layout: ReducedLayout, rule: Reduction): void {
  const { outer, n } = layout;
  if (!isComplexDtype(self.dtype) && isCooperative(layout, call.adapter)) {
    planCooperativeReduction(call, self, layout, rule);
    return;
  }
  if (outer >= FEW[call.adapter.software ? "cpu" : "gpu"] || n <= 2 * BLOCK) {
    writeResults(call, self, layout, rule, n);
    return;
  }
  const pieces = Math.min(PIECES, Math.ceil(n / BLOCK));
  const length = Math.ceil(n / pieces);
  const partial = call.temporary(self.dtype, [pieces, outer]);
  const shader = call.shader(`reduce ${rule.fn} in pieces`);
  const declarations = declareLane(shader, self, layout, rule);
  shader.write("out", partial).u32("results", outer).u32("length", length);
  const body = `let first = i / p.results * p.length;
  set_out(i, lane(i % p.results, first, min(first + p.length, p.n)));`;
  shader.forEach(outer * pieces, body, { declarations });
  writeResults(call, partial, reducedLayout(partial, 0), rule, n);
}

/** Folds whole lanes into the result of the call. `count` is what a mean divides by. */
function writeResults(call: KernelCall, self: TensorView, layout: ReducedLayout, rule: Reduction, count: number): void {
  const { dtype } = call.call.results[0] as TensorMeta;
  const shader = call.shader(`reduce ${rule.fn}`);
  const declarations = declareLane(shader, self, layout, rule);
  shader.result("out");
  if (rule.averages) shader.f32("divisor", count);
  const value = rule.averages ? "lane(i, 0u, p.n) / p.divisor" : "lane(i, 0u, p.n)";
  shader.forEach(layout.outer, `set_out(i, ${dtype === "bool" ? `${value} != 0` : value});`, { declarations });
}

/** Declares `lane(o, first, last)`, which reduces some elements of a lane. */
function declareLane(shader: Shader, self: TensorView, layout: ReducedLayout, { fn, start }: Reduction): string {
  const { dtype } = self;
  const type = computeType(dtype);
  const input = (index: number): TypedExpr => ({ kind: "input", dtype, index });
  readLanes(shader, self, layout).u32("n", layout.n);
  shader.function("combine", { kind: "binary", dtype, fn, x: input(0), y: input(1) }, [dtype, dtype]);
  shader.function("start", { kind: "const", dtype, value: start[type === "i32" ? 1 : 0] }, []);
  return `fn lane(o: u32, first: u32, last: u32) -> ${type} {
  let base = outer(o);
  var total = start();
  for (var at = first; at < last; at += ${BLOCK}u) {
    var part = start();
    let end = min(at + ${BLOCK}u, last);
    for (var k = at; k < end; k++) { part = combine(part, x_at(base + inner(k))); }
    total = combine(total, part);
  }
  return total;
}
`;
}

/** `sum`, `mean`, `prod`, `amax` and `amin` over any dimensions. */
export const PLAIN_REDUCTIONS: readonly WebgpuKernel[] = [
  reduction(["aten::sum", "aten::sum.dim_IntList"], SUM),
  reduction(["aten::mean", "aten::mean.dim"], MEAN),
  reduction(["aten::prod", "aten::prod.dim_int"], PROD),
  reduction(["aten::amax"], AMAX),
  reduction(["aten::amin"], AMIN),
];
