import type { OpName } from "@pt2/graph";

/** Groups of operators, each with its own color in a drawing. */
export type Family =
  | "input"
  | "output"
  | "matrix"
  | "norm"
  | "pointwise"
  | "reduce"
  | "shape"
  | "size"
  | "control"
  | "other";

/** The fill and border of each family. Text on them is dark, which is readable on light and on dark pages. */
export const COLORS: Readonly<Record<Family, { readonly fill: string; readonly stroke: string }>> = {
  input: { fill: "#dbeafe", stroke: "#3b82f6" },
  output: { fill: "#dbeafe", stroke: "#3b82f6" },
  matrix: { fill: "#fde68a", stroke: "#d97706" },
  norm: { fill: "#ddd6fe", stroke: "#7c3aed" },
  pointwise: { fill: "#bbf7d0", stroke: "#16a34a" },
  reduce: { fill: "#fbcfe8", stroke: "#db2777" },
  shape: { fill: "#e5e7eb", stroke: "#6b7280" },
  size: { fill: "#f3f4f6", stroke: "#9ca3af" },
  control: { fill: "#fecaca", stroke: "#dc2626" },
  other: { fill: "#ccfbf1", stroke: "#0d9488" },
};

/** The color of the text in a box. */
export const TEXT = "#111827";
/** The color of arrows and of text beside boxes: a middle gray. */
export const LINE = "#808791";

const PATTERNS: readonly (readonly [RegExp, Family])[] = [
  [/^higher_order::/, "control"],
  [/^(_operator|math|torch)::|::sym_|::_assert|::item$/, "size"],
  [/conv|linear|mm$|mm\.|matmul|bmm|einsum|attention|lstm|gru|rnn|embedding|mv$|dot$/, "matrix"],
  [/norm/, "norm"],
  [/pool|sum|mean|amax|amin|max|min|argm|any|all|var|std|softmax|topk|sort|cum|nonzero/, "reduce"],
  [
    /view|reshape|permute|transpose|::t$|slice|select|squeeze|expand|flatten|cat|stack|split|chunk|unbind|pad|clone|contiguous|index|gather|scatter|roll|repeat|strided|to\.|_to_copy|copy|detach|alias/,
    "shape",
  ],
  [
    /relu|gelu|silu|sigmoid|tanh|exp|log|sqrt|pow|add|sub|mul|div|neg|abs|clamp|where|[lg][te]\.|eq\.|ne\.|hard|mish|erf|sin|cos/,
    "pointwise",
  ],
];

/** Returns the family of an operator, by its name. */
export function familyOf(op: OpName): Family {
  return PATTERNS.find(([pattern]) => pattern.test(op))?.[1] ?? "other";
}
