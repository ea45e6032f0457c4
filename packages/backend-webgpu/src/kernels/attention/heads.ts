import type { TensorMeta } from "@pt2/registry";
import type { KernelCall } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import type { Shader } from "../../shader/shader.ts";

/** `softmax(query keyᵀ scale + mask) value` for every head of every batch. */
export interface Heads {
  /** Leading dimensions, the last of them split where several heads of queries share one of keys. */
  readonly batch: readonly number[];
  /** [batch, rows, features] of each, as it broadcasts to the batch. */
  readonly query: TensorView;
  readonly key: TensorView;
  readonly value: TensorView;
  /** [batch, queries, keys] */
  readonly mask: TensorView | null;
  readonly causal: boolean;
  readonly scale: number;
}

/** The arguments of attention. The form that PyTorch lowers it to has no `enable_gqa`: its heads may always be shared. */
export interface AttentionArgs {
  readonly query: TensorMeta;
  readonly key: TensorMeta;
  readonly value: TensorMeta;
  readonly attn_mask: TensorMeta | null;
  readonly is_causal: boolean;
  readonly scale: number | null;
  readonly enable_gqa: boolean | undefined;
}

/** Looks at the arguments of a call. */
export function headsOf(call: KernelCall, args: AttentionArgs): Heads {
  const [query, key, value] = [call.tensor(args.query), call.tensor(args.key), call.tensor(args.value)];
  const mask = call.optional(args.attn_mask);
  const lead = (call.call.results[0] as TensorMeta).shape.slice(0, -2);
  const shared = args.enable_gqa === false ? 1 : (query.shape.at(-3) ?? 1) / (key.shape.at(-3) ?? 1);
  const batch = shared === 1 ? lead : [...lead.slice(0, -1), lead.at(-1)! / shared, shared];
  const keys = (view: TensorView): TensorView => toBatch(shared === 1 ? view : withDim(view, -2, 1), batch);
  const queries = (view: TensorView): TensorView => toBatch(shared === 1 ? view : split(view, shared), batch);
  const causal = args.is_causal;
  const heads = { batch, query: queries(query), key: keys(key), value: keys(value), mask: mask && queries(mask) };
  return {
    // One query of each head: those of all that share keys are queries of one.
    ...(shared > 1 && query.shape.at(-2) === 1 && !causal ? mergedHeads(heads) : heads),
    causal,
    scale: args.scale ?? 1 / Math.sqrt(query.shape.at(-1)!),
  };
}

/** A dimension of size 1, inserted before the given one, counted from the end. */
function withDim(view: TensorView, before: number, size: number): TensorView {
  const at = view.shape.length + before;
  return { ...view, shape: view.shape.toSpliced(at, 0, size), strides: view.strides.toSpliced(at, 0, 0) };
}

/** Heads as those of keys times those of queries that share one. */
function split(view: TensorView, shared: number): TensorView {
  const at = view.shape.length - 3;
  if (at < 0) return view;
  const [size, stride] = [view.shape[at]!, view.strides[at]!];
  if (size === 1) return withDim(view, -2, 1);
  return {
    ...view,
    shape: view.shape.toSpliced(at, 1, size / shared, shared),
    strides: view.strides.toSpliced(at, 1, stride * shared, stride),
  };
}

/** A tensor as it broadcasts to a batch; its last two dimensions keep their sizes. */
function toBatch({ shape, strides, ...view }: TensorView, batch: readonly number[]): TensorView {
  const lead = batch.length - (shape.length - 2);
  const steps = batch.map((_, d) => (d < lead || shape[d - lead] === 1 ? 0 : strides[d - lead]!));
  return { ...view, shape: [...batch, ...shape.slice(-2)], strides: [...steps, ...strides.slice(-2)] };
}

/**
 * Declares `name_first(head)`: where a matrix begins, and `load_name(first, row, column)`: four elements of a row of it, zero
 * behind its last column, if four columns do not divide it, and, with `ends`, behind its last row. Else what is behind the
 * last is that again.
 */
export function declareMatrix(shader: Shader, name: string, view: TensorView, ends: boolean): string {
  const { shape, strides, offset } = view;
  const [step, across] = strides.slice(-2) as [number, number];
  const lead = { shape: shape.slice(0, -2), strides: strides.slice(0, -2) };
  const width = shape.at(-1)!;
  const aligned = [width, offset, step, ...lead.strides].every((n) => n % 4 === 0);
  const vector = across === 1 && aligned;
  shader.raw(name, view, { vector }).offsets(`${name}_first`, lead).u32(`${name}_row`, step);
  shader.u32(`${name}_rows`, shape.at(-2)!).u32(`${name}_width`, width);
  if (across !== 1) shader.u32(`${name}_across`, across);
  const scalar = (q: number): string => {
    const column = `min(column + ${q}u, p.${name}_width - 1u)`;
    const load = `${name}_at(at + ${across === 1 ? column : `${column} * p.${name}_across`})`;
    return width % 4 === 0 ? load : `select(0f, ${load}, column + ${q}u < p.${name}_width)`;
  };
  const load = vector
    ? `${name}_at4(at + min(column, p.${name}_width - 4u))`
    : `vec4<f32>(${[0, 1, 2, 3].map(scalar).join(", ")})`;
  return `fn load_${name}(first: u32, row: u32, column: u32) -> vec4<f32> {
  let at = first + min(row, p.${name}_rows - 1u) * p.${name}_row;
  return ${ends ? `select(vec4<f32>(), ${load}, row < p.${name}_rows)` : load};
}
`;
}

/** Declares `name_first(head)` and `load_name(first, row, column)`: one element, zero behind the last row. */
export function declareElement(shader: Shader, name: string, view: TensorView): string {
  const { shape, strides } = view;
  const [step, across] = strides.slice(-2) as [number, number];
  shader.raw(name, view).offsets(`${name}_first`, { shape: shape.slice(0, -2), strides: strides.slice(0, -2) });
  shader.u32(`${name}_row`, step).u32(`${name}_rows`, shape.at(-2)!);
  if (across !== 1) shader.u32(`${name}_across`, across);
  return `fn load_${name}(first: u32, row: u32, column: u32) -> f32 {
  let at = first + min(row, p.${name}_rows - 1u) * p.${name}_row + column${across === 1 ? "" : ` * p.${name}_across`};
  return select(0f, ${name}_at(at), row < p.${name}_rows);
}
`;
}

/**
 * Declares `score(head, query, key, x)`: what is exponentiated to the base of two, given the product of a query and a
 * key; and `keys_of(query)`: behind which key a query sees none.
 */
export function declareScores(shader: Shader, { mask, causal, scale }: Heads): string {
  shader.f32("scale", scale * Math.LOG2E).f32("unseen", Number.NEGATIVE_INFINITY);
  let masked = "x * p.scale";
  let declarations = "";
  if (mask !== null) {
    const [down, across] = mask.strides.slice(-2) as [number, number];
    const [rows, columns] = mask.shape.slice(-2) as [number, number];
    shader
      .raw("mask", mask)
      .offsets("mask_first", { shape: mask.shape.slice(0, -2), strides: mask.strides.slice(0, -2) });
    shader.u32("mask_down", rows === 1 ? 0 : down).u32("mask_across", columns === 1 ? 0 : across);
    const at =
      "mask_at(mask_first(head) + min(query, p.queries - 1u) * p.mask_down + min(key, p.keys - 1u) * p.mask_across)";
    masked = mask.dtype === "bool" ? `select(p.unseen, ${masked}, ${at})` : `${masked} + ${Math.LOG2E}f * ${at}`;
  }
  const visible = causal ? "key < p.keys && key <= query" : "key < p.keys";
  declarations += `fn score(head: u32, query: u32, key: u32, x: f32) -> f32 { return select(p.unseen, ${masked}, ${visible}); }
fn keys_of(query: u32) -> u32 { return ${causal ? "min(p.keys, query + 1u)" : "p.keys"}; }
`;
  return declarations;
}

/** Declares `store(head, query, feature, values)` for four features of the result. */
export function declareStore(shader: Shader, features: number): string {
  const vector = features % 4 === 0;
  shader.result("out", 0, { vector });
  const lanes = [0, 1, 2, 3].map((j) => `  if (feature + ${j}u < p.features) { set_out(at + ${j}u, v[${j}]); }\n`);
  return `fn store(head: u32, query: u32, feature: u32, v: vec4<f32>) {
  if (query >= p.queries || feature >= p.features) { return; }
  let at = (head * p.queries + query) * p.features + feature;
${vector ? "  set_out4(at / 4u, v);\n" : lanes.join("")}}
`;
}

type Matrices = Pick<Heads, "batch" | "query" | "key" | "value" | "mask">;

/** Heads that share their keys and have one query each, as one head whose queries are theirs. */
function mergedHeads({ batch, query, key, value, mask }: Matrices): Matrices {
  const without = (view: TensorView, dim: number): TensorView => ({
    ...view,
    shape: view.shape.toSpliced(dim, 1),
    strides: view.strides.toSpliced(dim, 1),
  });
  return {
    batch: batch.slice(0, -1),
    query: without(query, -2),
    key: without(key, -3),
    value: without(value, -3),
    mask: mask && without(mask, -2),
  };
}
