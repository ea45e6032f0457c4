import { numel } from "@pt2/format";
import type { KernelCall } from "../../engine/kernel.ts";
import { declareMatrix, declareScores, declareStore, type Heads } from "./heads.ts";

/** Queries of a workgroup, keys that it looks at together, and features that it loads together. */
const EDGE = 32;
const BLOCKS = EDGE / 4;
const THREADS = BLOCKS * BLOCKS;

/**
 * Attention for GPUs with the softmax taken on the way: a workgroup has some queries and goes along the keys, a tile of both at
 * a time in workgroup memory. What it has summed up shrinks whenever a greater score is met.
 */
export function planTiledAttention(call: KernelCall, heads: Heads): void {
  const { query, key, value } = heads;
  const [queries, width] = query.shape.slice(-2) as [number, number];
  const [keys, features] = [key.shape.at(-2)!, value.shape.at(-1)!];
  const chunks = Array.from({ length: Math.ceil(features / EDGE) }, (_, c) => c);
  const shader = call.shader(`attention of ${EDGE} queries`);
  const declarations = [
    declareMatrix(shader, "q", query, true),
    declareMatrix(shader, "k", key, true),
    declareMatrix(shader, "v", value, true),
    declareScores(shader, heads),
    declareStore(shader, features),
  ].join("");
  const logsum = call.call.results.length === 2;
  if (logsum) shader.result("logsum", 1);
  const blocks = Math.ceil(queries / EDGE);
  shader.u32("queries", queries).u32("keys", keys).u32("width", width).u32("features", features).u32("blocks", blocks);
  shader.u32("each", 4);
  const four = [0, 1, 2, 3];
  const rows = (text: (i: number) => string): string => four.map(text).join("\n    ");
  const load = (tile: string, row: string, name: string, column: string, limit: string): string =>
    `for (var t = lane; t < ${EDGE * BLOCKS}u; t += ${THREADS}u) {
      let column = ${column} + t % ${BLOCKS}u * 4u;
      ${tile}[t] = vec4<f32>();
      if (column < p.${limit}) { ${tile}[t] = load_${name}(${name}_base, ${row} + t / ${BLOCKS}u, column); }
    }`;
  // Four rows of the left tile times four columns of the right one, which has a row for each step of the sum.
  const accumulate = (sums: string): string => `for (var q = 0u; q < ${BLOCKS}u; q++) {
      ${four.map((q) => `let b${q} = right[(4u * q + ${q}u) * ${BLOCKS}u + x];`).join(" ")}
      ${rows((i) => `{ let a = left[(4u * y + ${i}u) * ${BLOCKS}u + q]; ${sums}${i} = ${four.reduce((sum, q) => `fma(b${q}, vec4<f32>(a[${q}]), ${sum})`, `${sums}${i}`)}; }`)}
    }`;
  const body = `let head = group / p.blocks;
  let block = group % p.blocks * ${EDGE}u;
  let x = lane % ${BLOCKS}u;
  let y = lane / ${BLOCKS}u;
  let q_base = q_first(head);
  let k_base = k_first(head);
  let v_base = v_first(head);
  ${rows((i) => `var most${i} = -3.4028234e38f; var total${i} = 0f;`)}
  ${chunks.map((c) => rows((i) => `var o${c}_${i} = vec4<f32>();`)).join("\n  ")}
  for (var s = 0u; s < keys_of(block + ${EDGE - 1}u); s += ${EDGE}u) {
    ${rows((i) => `var c${i} = vec4<f32>();`)}
    for (var e = 0u; e < p.width; e += ${EDGE}u) {
      workgroupBarrier();
      ${load("left", "block", "q", "e", "width")}
      ${load("right", "s", "k", "e", "width")}
      workgroupBarrier();
      for (var q = 0u; q < ${BLOCKS}u; q++) {
        ${four.map((j) => `let b${j} = right[(4u * x + ${j}u) * ${BLOCKS}u + q];`).join(" ")}
        ${rows((i) => `{ let a = left[(4u * y + ${i}u) * ${BLOCKS}u + q]; c${i} += vec4<f32>(${four.map((j) => `dot(a, b${j})`).join(", ")}); }`)}
      }
    }
    ${rows((i) => `c${i} = vec4<f32>(${four.map((j) => `score(head, block + 4u * y + ${i}u, s + 4u * x + ${j}u, c${i}[${j}])`).join(", ")});`)}
    ${rows((i) => `highest[(4u * y + ${i}u) * ${BLOCKS}u + x] = max(max(c${i}.x, c${i}.y), max(c${i}.z, c${i}.w));`)}
    workgroupBarrier();
    ${rows(
      (i) => `var greatest${i} = most${i};
    for (var t = 0u; t < ${BLOCKS}u; t++) { greatest${i} = max(greatest${i}, highest[(4u * y + ${i}u) * ${BLOCKS}u + t]); }
    let shrink${i} = exp2(most${i} - greatest${i});
    most${i} = greatest${i};
    c${i} = exp2(c${i} - most${i});
    total${i} = total${i} * shrink${i} + (c${i}.x + c${i}.y) + (c${i}.z + c${i}.w);
    left[(4u * y + ${i}u) * ${BLOCKS}u + x] = c${i};`,
    )}
    ${chunks
      .map(
        (c) => `workgroupBarrier();
    ${load("right", "s", "v", `${c * EDGE}u`, "features")}
    workgroupBarrier();
    ${rows((i) => `o${c}_${i} *= shrink${i};`)}
    ${accumulate(`o${c}_`)}`,
      )
      .join("\n    ")}
    workgroupBarrier();
  }
  ${rows((i) => `highest[(4u * y + ${i}u) * ${BLOCKS}u + x] = total${i};`)}
  workgroupBarrier();
  // A loop, since what is unrolled takes compilers long.
  for (var i = 0u; i < p.each; i++) {
    var most = most0;
    ${chunks.map((c) => `var o${c} = o${c}_0;`).join(" ")}
    switch i {
      ${[1, 2, 3].map((i) => `case ${i}u: { most = most${i}; ${chunks.map((c) => `o${c} = o${c}_${i};`).join(" ")} }`).join("\n      ")}
      default: {}
    }
    var sum = 0f;
    for (var t = 0u; t < ${BLOCKS}u; t++) { sum += highest[(4u * y + i) * ${BLOCKS}u + t]; }
    let inverse = select(1f / sum, 0f, sum == 0f);
    let row = block + 4u * y + i;
    ${chunks.map((c) => `store(head, row, ${c * EDGE}u + 4u * x, o${c} * inverse);`).join("\n    ")}
    ${logsum ? `if (x == 0u && row < p.queries) { set_logsum(head * p.queries + row, most * ${Math.LN2}f + log(sum)); }` : ""}
  }`;
  const memory = `var<workgroup> left: array<vec4<f32>, ${EDGE * BLOCKS}>;
var<workgroup> right: array<vec4<f32>, ${EDGE * BLOCKS}>;
var<workgroup> highest: array<f32, ${EDGE * BLOCKS}>;
`;
  shader.forEachGroup(numel(heads.batch) * blocks, body, {
    workgroupSize: THREADS,
    declarations: declarations + memory,
  });
}
