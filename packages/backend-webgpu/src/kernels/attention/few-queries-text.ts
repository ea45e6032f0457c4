/** Invocations of a workgroup, and keys that it looks at together. */
export const LANES = 128;
/** Neighbors that share the features of a key, so that they read what lies next to each other. */
export const PER_KEY = 4;

/** How many queries a workgroup has. */
export type Rows = 1 | 2 | 4;

/** WGSL type of a number for each query of a workgroup. */
export function ofRows(rows: Rows): "f32" | "vec2<f32>" | "vec4<f32>" {
  return rows === 1 ? "f32" : `vec${rows}<f32>`;
}

/**
 * WGSL of attention where a workgroup has few queries: it calls `finish` for each four features of each. Of those, a query
 * has at most `across`.
 */
export function fewQueriesText(rows: Rows, across: number): { readonly memory: string; readonly body: string } {
  const type = ofRows(rows);
  const each = (make: (r: number) => string, between = "\n  "): string =>
    Array.from({ length: rows }, (_, r) => make(r)).join(between);
  const together = (make: (r: number) => string): string => `${type}(${each(make, ", ")})`;
  const of = (name: string, r: number | "r"): string => (rows === 1 ? name : `${name}[${r}]`);
  // Loops have bounds that compilers do not know: what they unroll here takes some of them long.
  const body = `let split = group % p.splits;
  let first = group / p.splits % p.blocks * ${rows}u;
  let head = group / p.splits / p.blocks;
  let q_base = q_first(head);
  let k_base = k_first(head);
  let v_base = v_first(head);
  var most = ${type}(-3.4028234e38f);
  var total = ${type}();
  ${each((r) => `let query${r} = min(first + ${r}u, p.queries - 1u); var sum${r} = vec4<f32>();`)}
  let x = lane % ${across}u;
  let end = min((split + 1u) * p.length, keys_of(p.queries - 1u));
  for (var s = split * p.length; s < end; s += ${LANES}u) {
    for (var k = 0u; k < p.per_key; k++) {
      let key = lane / ${PER_KEY}u + k * ${LANES / PER_KEY}u;
      var products = ${type}();
      for (var e = lane % ${PER_KEY}u * 4u; e < p.width; e += ${4 * PER_KEY}u) {
        let features = load_k(k_base, s + key, e);
        products += ${together((r) => `dot(load_q(q_base, query${r}, e), features)`)};
      }
      weights[lane % ${PER_KEY}u * ${LANES}u + key] = products;
    }
    workgroupBarrier();
    var c = weights[lane];
    for (var k = 1u; k < p.per_key; k++) { c += weights[k * ${LANES}u + lane]; }
    c = ${together((r) => `score(head, query${r}, s + lane, ${of("c", r)})`)};
    let greatest = max(most, workgroup_max(lane, c));
    let shrink = exp2(most - greatest);
    most = greatest;
    c = exp2(c - most);
    total = total * shrink + c;
    weights[lane] = c;
    ${each((r) => `sum${r} *= ${of("shrink", r)};`)}
    workgroupBarrier();
    for (var i = lane / ${across}u; i < min(${LANES}u, end - s); i += ${LANES / across}u) {
      let features = load_v(v_base, s + i, 4u * x);
      let weight = weights[i];
      ${each((r) => `sum${r} = fma(vec4<f32>(${of("weight", r)}), features, sum${r});`)}
    }
    workgroupBarrier();
  }
  let all = workgroup_sum(lane, total);
  for (var r = 0u; r < p.rows; r++) {
    var sum = sum0;
    switch r { ${each((r) => (r === 0 ? "" : `case ${r}u: { sum = sum${r}; }`))} default: {} }
    workgroupBarrier();
    sums[lane] = sum;
    workgroupBarrier();
    if (lane < ${across}u && first + r < p.queries) {
      for (var k = lane + ${across}u; k < ${LANES}u; k += ${across}u) { sum += sums[k]; }
      finish(head, first + r, split, x, sum, ${of("most", "r")}, ${of("all", "r")});
    }
  }`;
  const memory = `var<workgroup> weights: array<${type}, ${PER_KEY * LANES}>;
var<workgroup> sums: array<vec4<f32>, ${LANES}>;
`;
  return { memory, body };
}
