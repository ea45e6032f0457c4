import { elementCount } from "@pt2/format";
import type { KernelCall } from "../../engine/kernel.ts";
import { declareMatrix, declareScores, declareStore, type Heads } from "./heads.ts";

/** Lanes of a workgroup where subgroups are not to be had. */
const LANES = 8;
/** Keys that are looked at together. */
const KEYS = 16;

/**
 * Attention for adapters that run on a CPU. Lanes are queries, several to each, so the softmax needs no other lane; keys and
 * values are loaded a row to a lane and broadcast. Scores live in registers for a few keys at a time.
 */
export function planRegisterAttention(call: KernelCall, heads: Heads): void {
  const { query, key, value } = heads;
  const { subgroupSize } = call.adapter;
  const lanes = subgroupSize || LANES;
  const [queries, width] = query.shape.slice(-2) as [number, number];
  const [keys, features] = [key.shape.at(-2)!, value.shape.at(-1)!];
  const each = perLane(queries, features, lanes);
  const type = each === 1 ? "f32" : `vec${each}<f32>`;
  const shader = call.shader(`attention of ${each * lanes} queries in registers`);
  const declarations = [
    declareMatrix(shader, "q", query, null),
    declareMatrix(shader, "k", key, null),
    declareMatrix(shader, "v", value, "p.keys"),
    declareScores(shader, heads),
    declareStore(shader, features),
  ].join("");
  const logsum = call.call.results.length === 2;
  if (logsum) shader.result("logsum", 1);
  const blocks = Math.ceil(queries / (each * lanes));
  shader.u32("queries", queries).u32("keys", keys).u32("width", width).u32("features", features).u32("blocks", blocks);
  const list = Array.from({ length: KEYS }, (_, i) => i);
  const own = Array.from({ length: each }, (_, j) => j);
  const four = [0, 1, 2, 3];
  const gather = (name: string, column: string): string =>
    subgroupSize > 0
      ? list
          .filter((i) => i % lanes === 0)
          .map((i) => `let ${name}${i} = load_${name}(${name}_base, s + ${i}u + lane, ${column});`)
          .join(" ")
      : list.map((i) => `let ${name}${i} = load_${name}(${name}_base, s + ${i}u, ${column});`).join(" ");
  const element = (name: string, i: number, x: number): string =>
    subgroupSize > 0 ? `subgroupBroadcast(${name}${i - (i % lanes)}[${x}], ${i % lanes}u)` : `${name}${i}[${x}]`;
  const together = (of: (j: number) => string): string => (each === 1 ? of(0) : `${type}(${own.map(of).join(", ")})`);
  const scores = list.map((i) => {
    const lane = (j: number): string => `score(head, first + ${j}u, s + ${i}u, c${i}${each === 1 ? "" : `[${j}]`})`;
    return `c${i} = ${together(lane)};`;
  });
  const body = `let head = group / p.blocks;
  let block = group % p.blocks * ${each * lanes}u;
  let first = block + lane * ${each}u;
  let q_base = q_first(head);
  let k_base = k_first(head);
  let v_base = v_first(head);
  var sums: array<${type}, ${4 * Math.ceil(features / 4)}>;
  var most = ${type}(-3.4028234e38f);
  var total = ${type}();
  for (var s = 0u; s < keys_of(block + ${each * lanes - 1}u); s += ${KEYS}u) {
    ${list.map((i) => `var c${i} = ${type}();`).join(" ")}
    for (var e = 0u; e < p.width; e += 4u) {
      ${gather("k", "e")}
      ${own.map((j) => `let q${j} = load_q(q_base, first + ${j}u, e);`).join(" ")}
      ${four.map((x) => `{ let q = ${together((j) => `q${j}[${x}]`)}; ${list.map((i) => `c${i} = fma(${type}(${element("k", i, x)}), q, c${i});`).join(" ")} }`).join("\n      ")}
    }
    ${scores.join("\n    ")}
    let greatest = ${list.reduce((most, i) => `max(${most}, c${i})`, "most")};
    let shrink = exp2(most - greatest);
    most = greatest;
    ${list.map((i) => `c${i} = exp2(c${i} - most);`).join(" ")}
    total = total * shrink + (${list.map((i) => `c${i}`).join(" + ")});
    for (var e = 0u; e < p.features; e += 4u) {
      ${gather("v", "e")}
      ${four.map((x) => `{ var sum = sums[e + ${x}u] * shrink; ${list.map((i) => `sum = fma(${type}(${element("v", i, x)}), c${i}, sum);`).join(" ")} sums[e + ${x}u] = sum; }`).join("\n      ")}
    }
  }
  let inverse = select(1f / total, ${type}(), total == ${type}());
  for (var e = 0u; e < p.features; e += 4u) {
    ${four.map((x) => `let o${x} = sums[e + ${x}u] * inverse;`).join(" ")}
    ${own.map((j) => `store(head, first + ${j}u, e, vec4<f32>(${four.map((x) => `o${x}${each === 1 ? "" : `[${j}]`}`).join(", ")}));`).join("\n    ")}
  }
  ${logsum ? own.map((j) => `if (first + ${j}u < p.queries) { set_logsum(head * p.queries + first + ${j}u, ${each === 1 ? "most * LN_2 + log(total)" : `most[${j}] * LN_2 + log(total[${j}])`}); }`).join("\n  ") : ""}`;
  shader.forEachGroup(elementCount(heads.batch) * blocks, body, {
    workgroupSize: lanes,
    declarations: `const LN_2 = ${Math.LN2}f;\n${declarations}`,
    subgroups: subgroupSize > 0,
  });
}

/** Queries of a lane: as many as there are, and as registers and caches hold the sums of. */
function perLane(queries: number, features: number, lanes: number): 1 | 2 | 4 {
  if (queries > 2 * lanes && features <= 96) return 4;
  return queries > lanes && features <= 192 ? 2 : 1;
}
