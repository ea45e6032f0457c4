import { numel } from "@pt2/format";
import type { KernelCall } from "../../engine/kernel.ts";
import { declareElement, declareMatrix, declareScores, type Heads } from "./heads.ts";

/** Lanes of a workgroup where subgroups are not to be had. */
const LANES = 8;
/** Keys that are looked at together, where lanes can broadcast and where each has to load all of them. */
const AT_ONCE = { broadcast: 16, alone: 4 } as const;

/**
 * Attention for adapters that run on a CPU. Lanes are queries, several to each, so the softmax needs no other lane; keys and
 * values are loaded a row to a lane and broadcast. Scores live in registers for a few keys at a time. The text has few loads
 * and stores, since each takes these adapters milliseconds to compile.
 */
export function planRegisterAttention(call: KernelCall, heads: Heads): void {
  const { query, key, value, mask, causal } = heads;
  const { subgroupSize } = call.adapter;
  const lanes = subgroupSize || LANES;
  const [queries, width] = query.shape.slice(-2) as [number, number];
  const [keys, features] = [key.shape.at(-2)!, value.shape.at(-1)!];
  const each = perLane(queries, features, lanes);
  const atOnce = subgroupSize > 0 ? AT_ONCE.broadcast : AT_ONCE.alone;
  const type = of(each, "f32");
  const shader = call.shader(`attention of ${each * lanes} queries in registers`);
  const declarations = [
    declareMatrix(shader, "q", query, false),
    declareMatrix(shader, "k", key, false),
    declareElement(shader, "v", value),
    declareScores(shader, heads),
    declareVisible(each, causal, keys % atOnce !== 0),
  ].join("");
  shader.result("out");
  const logsum = call.call.results.length === 2;
  if (logsum) shader.result("logsum", 1);
  const blocks = Math.ceil(queries / (each * lanes));
  shader.u32("queries", queries).u32("keys", keys).u32("width", width).u32("features", features).u32("blocks", blocks);
  shader.u32("at_once", atOnce).u32("each", each);
  const list = Array.from({ length: atOnce }, (_, i) => i);
  const own = Array.from({ length: each }, (_, j) => j);
  const four = [0, 1, 2, 3];
  const part = (j: number | string): string => (each === 1 ? "" : `[${j}]`);
  /** A value for each query of a lane. */
  const together = (text: (j: number) => string, element = "f32"): string =>
    `${of(each, element)}(${own.map(text).join(", ")})`;
  /** Loads what belongs to each of the keys: a lane has one of them, or all. */
  const gather = (name: string, column: string): string =>
    list
      .filter((i) => subgroupSize === 0 || i % lanes === 0)
      .map(
        (i) =>
          `let ${name}${i} = load_${name}(${name}_base, s + ${i}u${subgroupSize > 0 ? " + lane" : ""}, ${column});`,
      )
      .join(" ");
  const element = (name: string, i: number, x: string): string =>
    subgroupSize > 0 ? `subgroupBroadcast(${name}${i - (i % lanes)}${x}, ${i % lanes}u)` : `${name}${i}${x}`;
  const scores =
    mask === null
      ? list.map((i) => `c${i} = visible(ids, s + ${i}u, c${i} * p.scale);`).join(" ")
      : `for (var i = 0u; i < p.at_once; i++) {
      var c = c0;
      switch i { ${list.map((i) => `case ${i}u: { c = c${i}; }`).join(" ")} default: {} }
      c = ${together((j) => `score(head, first + ${j}u, s + i, c${part(j)})`)};
      switch i { ${list.map((i) => `case ${i}u: { c${i} = c; }`).join(" ")} default: {} }
    }`;
  const body = `let head = group / p.blocks;
  let block = group % p.blocks * ${each * lanes}u;
  let first = block + lane * ${each}u;
  let ids = ${together((j) => `first + ${j}u`, "u32")};
  let q_base = q_first(head);
  let k_base = k_first(head);
  let v_base = v_first(head);
  var sums: array<${type}, ${features}>;
  var most = ${type}(-3.4028234e38f);
  var total = ${type}();
  for (var s = 0u; s < keys_of(block + ${each * lanes - 1}u); s += ${atOnce}u) {
    ${list.map((i) => `var c${i} = ${type}();`).join(" ")}
    for (var e = 0u; e < p.width; e += 4u) {
      ${gather("k", "e")}
      ${own.map((j) => `let q${j} = load_q(q_base, first + ${j}u, e);`).join(" ")}
      ${four.map((x) => `{ let q = ${together((j) => `q${j}[${x}]`)}; ${list.map((i) => `c${i} = fma(${type}(${element("k", i, `[${x}]`)}), q, c${i});`).join(" ")} }`).join("\n      ")}
    }
    ${scores}
    let greatest = ${list.reduce((most, i) => `max(${most}, c${i})`, "most")};
    let shrink = exp2(most - greatest);
    most = greatest;
    ${list.map((i) => `c${i} = exp2(c${i} - most);`).join(" ")}
    total = total * shrink + (${list.map((i) => `c${i}`).join(" + ")});
    for (var e = 0u; e < p.features; e++) {
      ${gather("v", "e")}
      var sum = sums[e] * shrink;
      ${list.map((i) => `sum = fma(${type}(${element("v", i, "")}), c${i}, sum);`).join(" ")}
      sums[e] = sum;
    }
  }
  let inverse = select(1f / total, ${type}(), total == ${type}());
  for (var e = 0u; e < p.features; e++) {
    let sum = sums[e] * inverse;
    for (var j = 0u; j < p.each; j++) {
      if (first + j < p.queries) { set_out((head * p.queries + first + j) * p.features + e, sum${part("j")}); }
    }
  }
  ${logsum ? `for (var j = 0u; j < p.each; j++) { if (first + j < p.queries) { set_logsum(head * p.queries + first + j, most${part("j")} * ${Math.LN2}f + log(total${part("j")})); } }` : ""}`;
  shader.forEachGroup(numel(heads.batch) * blocks, body, {
    workgroupSize: lanes,
    declarations,
    subgroups: subgroupSize > 0,
  });
}

function of(count: number, type: string): string {
  return count === 1 ? type : `vec${count}<${type}>`;
}

/** `visible(queries, key, x)`: scores of some queries, where they see the key. */
function declareVisible(each: number, causal: boolean, ends: boolean): string {
  const [type, ids, flags] = ["f32", "u32", "bool"].map((element) => of(each, element));
  const conditions = [...(causal ? [`(${ids}(key) <= queries)`] : []), ...(ends ? [`${flags}(key < p.keys)`] : [])];
  const seen = conditions.length === 0 ? "x" : `select(${type}(p.unseen), x, ${conditions.join(" & ")})`;
  return `fn visible(queries: ${ids}, key: u32, x: ${type}) -> ${type} { return ${seen}; }\n`;
}

/** Queries of a lane: as many as there are, and as registers and caches hold the sums of. */
function perLane(queries: number, features: number, lanes: number): 1 | 2 | 4 {
  if (queries > 2 * lanes && features <= 96) return 4;
  return queries > lanes && features <= 192 ? 2 : 1;
}
