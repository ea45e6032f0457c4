import { numel } from "@pt2/format";
import type { PlanContext } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { partsOf } from "../../shader/binding.ts";
import type { Shader } from "../../shader/shader.ts";
import { stacked, transposed } from "./matmul.ts";
import { FOUR, type Output } from "./operands.ts";
import { columnsOf, planPart } from "./plan-matmul.ts";

/** Rows of the matrix in a panel of words. */
const PANEL = 32;

/** A product with an int8 matrix whose rows are the columns of the result: a[b, i, k] (weight[j, k] - zero[j]) scale[j] + bias[j]. */
export interface Int8Product {
  /** Floats, [batch, m, k]. */
  readonly a: TensorView;
  /** [n, k] */
  readonly weight: TensorView;
  /** [n] */
  readonly bias: TensorView | null;
  /** Floats [groups, {@link wholePanels}(n)], for each group of `k`. */
  readonly scale: TensorView | null;
  readonly zero: TensorView | null;
  readonly groups: number;
}

/**
 * Plans a product whose weight is packed once: in memory four elements of a row are a word. Of `k`, it takes `depth` from
 * `start` on, multiples of four where more follow.
 */
export async function planInt8Product(
  call: PlanContext,
  { a, weight, bias, scale, zero, groups }: Int8Product,
  output: Output,
  [start, depth]: readonly [number, number] = [0, weight.shape[1]!],
): Promise<void> {
  const [N, K] = weight.shape as readonly [number, number];
  const left = { ...a, shape: a.shape.with(2, depth), offset: a.offset + start * a.strides[2]! };
  for (const { view, start: panel } of partsOf(packedWords(call, weight), 0, call.adapter, 1)) {
    const words = { ...view, offset: view.offset + (start / 4) * PANEL };
    const first = panel * PANEL;
    const count = Math.min(words.shape[0]! * PANEL, N - first);
    const b = stacked(transposed({ ...weight, shape: [count, depth] }), a.shape[0]!);
    const packed = (shader: Shader): string => {
      for (const [name, spread] of Object.entries({ scale, zero })) {
        if (spread) shader.raw(name, { ...spread, offset: spread.offset + first }, { vector: true });
      }
      return declareWords(shader, words, { N, group: K / groups, isScaled: scale !== null, isShifted: zero !== null });
    };
    await planPart(call, { a: left, b, bias: bias && columnsOf(bias, first, count), width: N, first, packed }, output);
  }
}

/** Returns so many rows, up to whole panels. */
export function wholePanels(rows: number): number {
  return Math.ceil(rows / PANEL) * PANEL;
}

/**
 * An int8 matrix [N, K] in words of four elements of a row, the first in the lowest byte, as panels of rows:
 * [N / 32, K / 4, 32], filled up with zeros.
 */
function packedWords(call: PlanContext, matrix: TensorView): TensorView {
  const [N, K] = matrix.shape as readonly [number, number];
  const to = { dtype: "int32", shape: [Math.ceil(N / PANEL), Math.ceil(K / 4), PANEL] } as const;
  return call.prepared(matrix, "words of int8", to, (ctx, from, out) => {
    const shader = ctx.shader("pack int8").at("x", from).write("out", out);
    shader.u32("n", N).u32("k", K).u32("depth", to.shape[1]);
    const body = `let row = i / ${PANEL}u / p.depth * ${PANEL}u + i % ${PANEL}u;
  let k = 4u * (i / ${PANEL}u % p.depth);
  var word = 0i;
  if (row < p.n) {
    for (var q = 0u; q < 4u && k + q < p.k; q++) { word |= (x(row, k + q) & 255i) << (8u * q); }
  }
  set_out(i, word);`;
    shader.forEach(numel(to.shape), body);
  });
}

/** What makes floats of the words of N rows: numbers `scale` and `zero` for each row and so many columns. */
interface Dequantization {
  readonly N: number;
  readonly group: number;
  readonly isScaled: boolean;
  readonly isShifted: boolean;
}

/** Declares `b4x4` for a matrix in words. */
function declareWords(shader: Shader, words: TensorView, { N, group, isScaled, isShifted }: Dequantization): string {
  shader.raw("b", words, { vector: true });
  shader.u32("panel", words.strides[0]!).u32("last", words.shape[0]! * PANEL - 4);
  shader.u32("group", group).u32("qparams", wholePanels(N));
  const rows = FOUR.map((q) => {
    const integers = `vec4<f32>((words << vec4<u32>(${24 - 8 * q}u)) >> vec4<u32>(24u))`;
    return `${isShifted ? `(${integers} - zero)` : integers}${isScaled ? " * scale" : ""}`;
  });
  return `fn b4x4(batch: u32, k: u32, column: u32) -> mat4x4<f32> {
  let inside = min(column, p.last);
  let words = b_at4(inside / ${PANEL}u * p.panel + k / 4u * ${PANEL}u + inside % ${PANEL}u);
  let at = k / p.group * p.qparams + inside;
  ${isScaled ? "let scale = scale_at4(at);" : ""}
  ${isShifted ? "let zero = zero_at4(at);" : ""}
  return mat4x4<f32>(${rows.join(", ")});
}
`;
}
