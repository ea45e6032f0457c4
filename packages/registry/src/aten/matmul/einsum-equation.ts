import { check } from "../support/check.ts";

/** The subscripts of an einsum with the ellipsis expanded: one label per dimension. */
export interface EinsumEquation {
  readonly inputs: readonly (readonly string[])[];
  readonly output: readonly string[];
}

const LETTER = /^[A-Za-z]$/;

/**
 * Parses `equation` for operands of the given ranks. The dimensions that an ellipsis covers get the labels `.0`, `.1`,
 * … counted from the right, so that they broadcast like batch dimensions.
 */
export function parseEquation(equation: string, ranks: readonly number[]): EinsumEquation {
  const [left, right, ...rest] = equation.replaceAll(" ", "").split("->");
  check(rest.length === 0, "einsum(): subscripts may contain one '->'");
  const terms = left!.split(",").map(subscripts);
  check(
    terms.length === ranks.length,
    () => `einsum(): the equation has ${terms.length} operands, but ${ranks.length} tensors were given`,
  );
  const inputs = terms.map((term, i) => spellOut(term, ranks[i]!, i));
  return { inputs, output: right === undefined ? implicitOutput(inputs) : explicitOutput(subscripts(right), inputs) };
}

function subscripts(text: string): readonly string[] {
  const tokens = text.match(/\.\.\.|./gs) ?? [];
  for (const token of tokens)
    check(token === "..." || LETTER.test(token), () => `einsum(): invalid subscript '${token}'`);
  check(tokens.filter((t) => t === "...").length <= 1, "einsum(): an operand may have one ellipsis");
  return tokens;
}

function spellOut(term: readonly string[], rank: number, operand: number): readonly string[] {
  const letters = term.filter((t) => t !== "...").length;
  const covered = rank - letters;
  check(
    term.includes("...") ? covered >= 0 : covered === 0,
    () =>
      `einsum(): the number of subscripts in the equation (${letters}) does not match the number of dimensions (${rank}) for operand ${operand}`,
  );
  return term.flatMap((t) => (t === "..." ? ellipsis(covered) : [t]));
}

function ellipsis(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `.${count - 1 - i}`);
}

function longestEllipsis(inputs: readonly (readonly string[])[]): readonly string[] {
  return ellipsis(Math.max(0, ...inputs.map((labels) => labels.filter((l) => l.startsWith(".")).length)));
}

/** Returns the output of an equation without `->`: the ellipsis, then the letters that occur once, A–Z before a–z. */
function implicitOutput(inputs: readonly (readonly string[])[]): readonly string[] {
  const letters = inputs.flat().filter((l) => LETTER.test(l));
  const once = letters.filter((l) => letters.indexOf(l) === letters.lastIndexOf(l)).sort();
  return [...longestEllipsis(inputs), ...once];
}

function explicitOutput(term: readonly string[], inputs: readonly (readonly string[])[]): readonly string[] {
  const known = new Set(inputs.flat());
  term.forEach((label, i) => {
    check(term.indexOf(label) === i, () => `einsum(): output subscript ${label} appears more than once in the output`);
    check(
      label === "..." || known.has(label),
      () => `einsum(): output subscript ${label} does not appear in the equation for any input operand`,
    );
  });
  return term.flatMap((label) => (label === "..." ? longestEllipsis(inputs) : [label]));
}
