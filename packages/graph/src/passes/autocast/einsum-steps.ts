import type { SymInt } from "../../sym/sym-expr.ts";

/** A product of two operands of an einsum, which leave the list of those that are left; their product goes to its end. */
export interface EinsumStep {
  readonly operands: readonly [number, number];
  readonly equation: string;
  readonly shape: readonly SymInt[];
  /** Whether it sums over a dimension of both operands, which makes it a product of matrices. */
  readonly contracts: boolean;
}

interface Operand {
  readonly labels: string;
  readonly shape: readonly SymInt[];
}

/** Splits an einsum into products of two operands, in PyTorch's order. Returns null for an equation that fits no such shapes. */
export function einsumSteps(
  equation: string,
  shapes: readonly (readonly SymInt[])[],
  path: readonly number[],
): readonly EinsumStep[] | null {
  const read = readEquation(equation, shapes);
  if (read === null) return null;
  let { operands } = read;
  const steps: EinsumStep[] = [];
  for (let n = 0; operands.length > 1; n++) {
    // From left to right, unless there is a path.
    const [i, j] = [path[2 * n] ?? (n === 0 ? 0 : operands.length - 1), path[2 * n + 1] ?? (n === 0 ? 1 : 0)];
    const [left, right] = [operands[i], operands[j]];
    if (left === undefined || right === undefined || i === j) return null;
    const rest = operands.filter((_, at) => at !== i && at !== j);
    const kept = read.output + rest.map(({ labels }) => labels).join("");
    const made = [...new Set(left.labels + right.labels)].filter((label) => kept.includes(label)).join("");
    const labels = rest.length === 0 ? read.output : made;
    const product = { labels, shape: [...labels].map((label) => broadcastSize(label, left, right)) };
    steps.push({
      operands: [i, j],
      equation: `${left.labels},${right.labels}->${labels}`,
      shape: product.shape,
      contracts: [...left.labels].some((label) => !kept.includes(label) && !isOne(label, left) && !isOne(label, right)),
    });
    operands = [...rest, product];
  }
  return steps;
}

/** Names every dimension by a letter, also those that an ellipsis covers. */
function readEquation(
  equation: string,
  shapes: readonly (readonly SymInt[])[],
): { readonly operands: readonly Operand[]; readonly output: string } | null {
  const [left = "", right] = equation.replaceAll(" ", "").split("->");
  const terms = left.split(",");
  if (terms.length !== shapes.length) return null;
  const covered = terms.map((term, i) => shapes[i]!.length - term.replace("...", "").length);
  if (terms.some((term, i) => (term.includes("...") ? covered[i]! < 0 : covered[i] !== 0))) return null;
  const most = Math.max(...covered);
  const names = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"].filter(
    (letter) => !equation.includes(letter),
  );
  if (names.length < most) return null;
  const ellipsis = names.slice(0, most);
  const spell = (term: string, count: number): string => term.replace("...", ellipsis.slice(most - count).join(""));
  const operands = terms.map((term, i) => ({ labels: spell(term, covered[i]!), shape: shapes[i]! }));
  return { operands, output: spell(right ?? implicitOutput(left), most) };
}

/** Without `->`, results have what ellipses cover, then the letters that occur once, in order. */
function implicitOutput(left: string): string {
  const letters = left.replaceAll(/[^A-Za-z]/g, "");
  const once = [...letters].filter((letter) => letters.indexOf(letter) === letters.lastIndexOf(letter));
  return `...${once.sort().join("")}`;
}

/** Returns whether a dimension is not there, or broadcasts. */
function isOne(label: string, { labels, shape }: Operand): boolean {
  return (shape[labels.indexOf(label)] ?? 1) === 1;
}

function broadcastSize(label: string, left: Operand, right: Operand): SymInt {
  const { labels, shape } = isOne(label, left) ? right : left;
  return shape[labels.indexOf(label)] ?? 1;
}
