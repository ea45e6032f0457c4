import { numel } from "@pt2/format";
import type { KernelCall } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import type { Shader } from "../../shader/shader.ts";
import { maxOf, sumOf, WorkgroupReduction } from "../cooperative.ts";
import { fewQueriesText, LANES, ofRows, PER_KEY } from "./few-queries-text.ts";
import { declareMatrix, declareScores, declareStore, type Heads } from "./heads.ts";

/** Workgroups that keep a GPU busy, and the least keys that are worth one. */
const [ENOUGH_GROUPS, LEAST_KEYS] = [128, 256];

/**
 * Attention of few queries on a GPU. A workgroup goes along the keys, with the softmax taken on the way. Where there are too
 * few heads to keep the device busy, several have parts of the same keys, and a second shader joins what they found.
 */
export function planFewQueries(call: KernelCall, heads: Heads): void {
  const { query, key, value, batch } = heads;
  const [queries, width] = query.shape.slice(-2) as [number, number];
  const [keys, features] = [key.shape.at(-2)!, value.shape.at(-1)!];
  const rows = queries > 2 ? 4 : queries === 2 ? 2 : 1;
  const blocks = Math.ceil(queries / rows);
  const groups = numel(batch) * blocks;
  const wanted = Math.min(Math.ceil(ENOUGH_GROUPS / groups), Math.ceil(keys / LEAST_KEYS));
  const length = Math.max(1, Math.ceil(keys / Math.max(1, wanted) / LANES)) * LANES;
  const splits = Math.max(1, Math.ceil(keys / length));
  const quads = Math.ceil(features / 4);
  const [type, text] = [ofRows(rows), fewQueriesText(rows, 2 ** Math.ceil(Math.log2(quads)))];
  const workgroup = new WorkgroupReduction(LANES, call.adapter);
  const shader = call.shader(`attention of ${rows} queries${splits > 1 ? " in parts" : ""}`);
  const declarations = [
    declareMatrix(shader, "q", query, false),
    declareMatrix(shader, "k", key, false),
    declareMatrix(shader, "v", value, false),
    declareScores(shader, heads),
    workgroup.declare("workgroup_max", maxOf(type, `${type}(-3.4028234e38f)`)),
    workgroup.declare("workgroup_sum", sumOf(type)),
    text.memory,
  ].join("");
  shader.u32("keys", keys).u32("width", width).u32("blocks", blocks).u32("splits", splits).u32("length", length);
  shader.u32("rows", rows).u32("per_key", PER_KEY);
  if (splits === 1) {
    const finish = declareFinish(call, shader, queries, features);
    workgroup.run(shader, groups, text.body, declarations + finish);
    return;
  }
  const results = numel(batch) * queries;
  const sums = call.temporary("float32", [results, splits, 4 * quads]);
  const softmax = call.temporary("float32", [results, splits, 2]);
  shader.write("sums", sums, { vector: true }).write("softmax", softmax).u32("queries", queries).u32("quads", quads);
  workgroup.run(shader, groups * splits, text.body, declarations + FINISH_PART);
  planJoin(call, { sums, softmax, queries, features });
}

/** A part keeps its sums, its greatest score, and what the weights add up to. */
const FINISH_PART = `fn finish(head: u32, query: u32, split: u32, quad: u32, sum: vec4<f32>, most: f32, total: f32) {
  let at = (head * p.queries + query) * p.splits + split;
  if (quad < p.quads) { set_sums4(at * p.quads + quad, sum); }
  if (quad == 0u) { set_softmax(2u * at, most); set_softmax(2u * at + 1u, total); }
}
`;

/** Declares `finish`, which writes four features of the result, and the logarithm of the sum where that is asked for. */
function declareFinish(call: KernelCall, shader: Shader, queries: number, features: number): string {
  shader.u32("queries", queries).u32("features", features);
  const store = declareStore(shader, features);
  const logsum = call.call.results.length === 2;
  if (logsum) shader.result("logsum", 1);
  return `${store}fn finish(head: u32, query: u32, split: u32, quad: u32, sum: vec4<f32>, most: f32, total: f32) {
  store(head, query, 4u * quad, sum * select(1f / total, 0f, total == 0f));
  ${logsum ? `if (quad == 0u) { set_logsum(head * p.queries + query, most * ${Math.LN2}f + log(total)); }` : ""}
}
`;
}

interface Parts {
  /** [result, part, features filled up to fours] */
  readonly sums: TensorView;
  /** [result, part, greatest score and sum] */
  readonly softmax: TensorView;
  readonly queries: number;
  readonly features: number;
}

/** Joins parts: each shrinks by what its greatest score is less than the greatest of all. */
function planJoin(call: KernelCall, { sums, softmax, queries, features }: Parts): void {
  const [results, splits, width] = sums.shape as readonly [number, number, number];
  const shader = call.shader("attention of all parts").raw("sums", sums, { vector: true }).raw("softmax", softmax);
  shader.u32("splits", splits).u32("quads", width / 4);
  const body = `let row = i / p.quads;
  let quad = i % p.quads;
  let first = row * p.splits;
  var most = softmax_at(2u * first);
  for (var k = 1u; k < p.splits; k++) { most = max(most, softmax_at(2u * (first + k))); }
  var sum = vec4<f32>();
  var total = 0f;
  for (var k = first; k < first + p.splits; k++) {
    let weight = exp2(softmax_at(2u * k) - most);
    total = fma(weight, softmax_at(2u * k + 1u), total);
    sum = fma(vec4<f32>(weight), sums_at4(4u * (k * p.quads + quad)), sum);
  }
  finish(row / p.queries, row % p.queries, 0u, quad, sum, most, total);`;
  shader.forEach((results * width) / 4, body, { declarations: declareFinish(call, shader, queries, features) });
}
