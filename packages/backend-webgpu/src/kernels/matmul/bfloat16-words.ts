import { numel } from "@pt2/format";
import type { PlanContext } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import type { Shader } from "../../shader/shader.ts";

/** Columns of the matrix in a panel of words. */
const PANEL = 32;

/**
 * Packs a weight in bfloat16, [batch, K, N], the same for the whole batch, once: in memory two elements of a column are a word, the
 * first in the lower half. The words are panels of columns, [N / 32, K / 2, 32], filled up with zeros to whole panels and to steps of
 * four.
 */
export function packedWords(ctx: PlanContext, { shape, strides, ...rest }: TensorView): TensorView {
  const matrix = { ...rest, shape: shape.slice(1), strides: strides.slice(1) };
  const [K, N] = [shape[1]!, shape[2]!];
  const to = { dtype: "int32", shape: [Math.ceil(N / PANEL), 2 * Math.ceil(K / 4), PANEL] } as const;
  return ctx.prepared(matrix, "words of bfloat16", to, (inner, from, out) => {
    const shader = inner.shader("pack bfloat16").at("x", from).write("out", out);
    shader.u32("n", N).u32("k", K).u32("depth", to.shape[1]);
    const body = `let column = i / ${PANEL}u / p.depth * ${PANEL}u + i % ${PANEL}u;
  let k = 2u * (i / ${PANEL}u % p.depth);
  var word = 0u;
  if (column < p.n && k < p.k) { word = bitcast<u32>(x(k, column)) >> 16u; }
  if (column < p.n && k + 1u < p.k) { word |= bitcast<u32>(x(k + 1u, column)) & 0xffff0000u; }
  set_out(i, bitcast<i32>(word));`;
    shader.forEach(numel(to.shape), body);
  });
}

/** Declares `b4x4` for a matrix in words. */
export function declareWords(shader: Shader, words: TensorView): string {
  shader.raw("b", words, { vector: true });
  shader.u32("panel", words.strides[0]!).u32("last", words.shape[0]! * PANEL - 4);
  const rows = ["low", "high"].flatMap((pair) => [
    `bitcast<vec4<f32>>(${pair} << vec4<u32>(16u))`,
    `bitcast<vec4<f32>>(${pair} & vec4<i32>(-65536))`,
  ]);
  return `fn b4x4(batch: u32, k: u32, column: u32) -> mat4x4<f32> {
  let inside = min(column, p.last);
  let at = inside / ${PANEL}u * p.panel + k / 2u * ${PANEL}u + inside % ${PANEL}u;
  let low = b_at4(at);
  let high = b_at4(at + ${PANEL}u);
  return mat4x4<f32>(${rows.join(", ")});
}
`;
}
