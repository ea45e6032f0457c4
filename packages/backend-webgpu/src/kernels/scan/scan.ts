import type { DType } from "@pt2/format";
import { isSmallFloat, normalDim } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { type KernelCall, type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";
import type { Shader } from "../../shader/shader.ts";
import { areNeighbors, readLanes, reducedLayout } from "../reduce/reduced-layout.ts";
import { planBlocks } from "./blocked-scan.ts";
import { declareScanState, extreme, logSumExp, product, type ScanState, sum } from "./scan-state.ts";

/** A GPU gives shorter lanes to one invocation each, and those of so many whose elements lie side by side. */
const [SHORT, MANY] = [128, 1024];

type ScanOp = "aten::cumsum" | "aten::cumprod" | "aten::cummax" | "aten::cummin" | "aten::logcumsumexp";

/** An op that goes along one dimension. The dtype of its first result tells which state it keeps. */
function scanKernel(op: ScanOp, stateOf: (dtype: DType) => ScanState, complex: boolean): WebgpuKernel {
  return webgpuKernel({
    ops: [op],
    complex,
    prepare: (call, args) => planScan(call, args, op, stateOf((call.call.results[0] as TensorMeta).dtype)),
  });
}

interface ScanArgs {
  readonly self: TensorMeta;
  readonly dim: number;
}

function planScan(call: KernelCall, args: ScanArgs, op: ScanOp, state: ScanState): void {
  const { dtype } = call.call.results[0] as TensorMeta;
  const given = call.tensor(args.self);
  // Elements are rounded to their float16 or bfloat16 first, however wide the state is.
  const self = call.convert(isSmallFloat(dtype) ? call.convert(given, dtype) : given, state.reads);
  const outs = state.results.map((_, index) => call.output(index));
  const { shape } = self;
  // A number is a lane of one element.
  const dim = shape.length === 0 ? [] : [normalDim(args.dim, shape.length)];
  const layout = reducedLayout(self, dim);
  const { outer, n } = layout;
  if (outer * n === 0) return;
  const target = reducedLayout(outs[0]!, dim);
  const write = (shader: Shader): void => {
    for (const [index, out] of outs.entries()) shader.write(`out${index}`, out);
    shader.offsets("to_outer", target.kept).offsets("to_inner", target.reduced);
  };
  const sets = state.results.map((result, index) => `set_out${index}(to + to_inner(k), ${result});`);
  const store = sets.join(" ");
  if (!call.adapter.software && n >= SHORT && (outer < MANY || areNeighbors(layout)) && state.associative !== false) {
    const read = (what: string): Shader => readLanes(call.shader(`${op} ${what}`), self, layout);
    planBlocks(call, state, { layout, read, write, store });
    return;
  }
  const shader = readLanes(call.shader(op), self, layout).u32("n", n);
  write(shader);
  const body = `let base = outer(i);
  let to = to_outer(i);
  var s = start();
  for (var k = 0u; k < p.n; k++) {
    s = two(s, one(x_at(base + inner(k)), k));
    ${store}
  }`;
  shader.forEach(outer, body, { declarations: declareScanState(shader, state) });
}

/** Kernels of ops that go along a dimension. The decompositions of extremes and logarithms take the square of a lane. */
export const SCANS: readonly WebgpuKernel[] = [
  scanKernel("aten::cumsum", sum, true),
  scanKernel("aten::cumprod", product, true),
  scanKernel("aten::cummax", (dtype) => extreme(dtype, ">="), false),
  scanKernel("aten::cummin", (dtype) => extreme(dtype, "<="), false),
  scanKernel("aten::logcumsumexp", logSumExp, false),
];
