import { numel } from "@pt2/backend";
import type { TensorMeta } from "@pt2/registry";
import { numbers } from "../../engine/element-access.ts";
import { type PlanContext, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { asMatrix, asRows, PANEL, transposed } from "./gemm.ts";
import { narrowKernels } from "./narrow-module.ts";
import { planPanels } from "./narrow-panels.ts";
import { INT8_PRODUCT, packedMatrices, panelBytes, stacked } from "./product.ts";

/** Of a multiplication and an addition. */
const NANOSECONDS_EACH_PRODUCT = 0.07;
/** What an int8 is multiplied by where it is read with its neighbor, see assembly/linear-int8.ts. */
const SHIFTED = 65536;

/**
 * `linear(input[..., K], (weight[N, K] - zero_point) * scale, bias)`, the numbers of `scale` and `zero_point` for each row of the
 * weight and group of its columns. The weight stays int8 in memory.
 */
export const linearInt8: WasmKernel = wasmKernel({
  ops: ["pt2::linear_int8"],
  accepts({ input, weight, scale, zero_point, bias }) {
    const [N, K] = weight.shape as readonly [number, number];
    const groups = groupsOf(weight, scale ?? zero_point);
    const fit = [scale, zero_point].every((each) => each === null || numel(each.shape) === N * groups);
    const isEven = groups === 1 || (K % groups === 0 && (K / groups) % 2 === 0);
    const isRow = bias === null || (bias.shape.length === 1 && bias.shape[0] === N);
    return input.dtype === "float32" && isRow && isEven && fit;
  },
  async prepare(call, { input, weight, scale, zero_point, bias }) {
    const out = call.output();
    if (numel(out.shape) === 0) return;
    const matrix = call.tensor(weight);
    const [N, K] = matrix.shape as readonly [number, number];
    const rows = asRows(call, call.tensor(input));
    const packed = packedMatrices(call, INT8_PRODUCT, stacked(transposed(matrix)));
    const groups = groupsOf(weight, scale ?? zero_point);
    const scales = packedQparams(call, scale === null ? ones(call, N) : call.tensor(scale), N, groups, 1 / SHIFTED);
    const zeros = zero_point === null ? null : packedQparams(call, call.tensor(zero_point), N, groups, SHIFTED);
    const added = bias === null ? null : call.dense(call.convert(call.tensor(bias), "float32"));
    const kernels = await narrowKernels(call);
    const [panel, group, qparams] = [panelBytes(INT8_PRODUCT, K), K / groups, PANEL * groups * 4];
    const hasZeros = (): boolean => zeros !== null && call.heap.f32[addressOf(zeros) / 4 + anyAt(N, groups)] !== 0;
    const weightAt = (at: number): [number, number, number] => [
      addressOf(packed) + at * panel,
      addressOf(scales) + at * qparams,
      hasZeros() ? addressOf(zeros!) + at * qparams : 0,
    ];
    planPanels(call, {
      ...{ rows, out: asMatrix(out), bias: added, nanoseconds: NANOSECONDS_EACH_PRODUCT, fewRows: 2 },
      few: (at, columns, { a, c, bias }) =>
        kernels.int8Rows(rows.shape[0]!, columns, K, group, a, K, ...weightAt(at), c, N, bias),
      widen: (at, columns, to) => kernels.int8Floats(columns, K, group, ...weightAt(at), to),
    });
  },
});

/** The groups that the columns of a weight are in, each with a scale for every row. */
function groupsOf({ shape: [N] }: TensorMeta, qparams: TensorMeta | null): number {
  return qparams === null || N === 0 ? 1 : numel(qparams.shape) / N!;
}

function ones(call: PlanContext, count: number): TensorView {
  return call.constant("float32", [count], new Float32Array(count).fill(1));
}

/** Where packed numbers say whether any of them is not zero. */
function anyAt(N: number, groups: number): number {
  return Math.ceil(N / PANEL) * PANEL * groups;
}

/** Scales or zeros of [N, groups], times a power of two, as panels have them: [N / 8, groups, 8]. */
function packedQparams(call: PlanContext, given: TensorView, N: number, groups: number, factor: number): TensorView {
  const dense = call.dense(given);
  const to = { dtype: "float32", shape: [anyAt(N, groups) + 1] } as const;
  return call.prepared(dense, `qparams ${N} ${factor}`, to, (inner, from, at) => {
    inner.step(() => {
      const source = numbers(inner.heap, from);
      const base = addressOf(at) / 4;
      const packed = inner.heap.f32.subarray(base, base + to.shape[0]!);
      packed.fill(0);
      for (let n = 0; n < N; n++) {
        for (let g = 0; g < groups; g++) {
          const value = source.get(n * groups + g) * factor;
          packed[(Math.floor(n / PANEL) * groups + g) * PANEL + (n % PANEL)] = value;
          if (value !== 0) packed[to.shape[0]! - 1] = 1;
        }
      }
    });
  });
}
