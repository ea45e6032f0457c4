import { bindSymbols, type GivenShape, type Program, type SymExpr, type SymInt, type SymRange } from "@pt2/graph";
import type { LeafInfo } from "@pt2/runtime";

/** Values of the symbols in the sizes of the inputs. */
export type Sizes = ReadonlyMap<string, number>;

/** The initial value of a symbolic size, as far as its range allows. */
const USUAL = 4;

/** The symbols that the caller decides by the shapes of the inputs, with their ranges. */
export function freeSizes(program: Program, inputs: readonly LeafInfo[]): ReadonlyMap<string, SymRange> {
  const found = new Map<string, SymRange>();
  const add = (expr: SymExpr): void => {
    if (expr.kind === "call") for (const arg of expr.args) add(arg);
    else if (expr.kind === "symbol") found.set(expr.name, program.ranges.get(expr.name) ?? { min: null, max: null });
  };
  for (const { value } of inputs) for (const size of sizesOf(program, value)) if (typeof size === "object") add(size);
  return found;
}

/** Sizes that are allowed: those of the example, else small ones. */
export function usualSizes(program: Program, inputs: readonly LeafInfo[], example: readonly unknown[] | null): Sizes {
  const known = example === null ? new Map<string, number>() : boundBy(program, inputs, example);
  return new Map(
    [...freeSizes(program, inputs)].map(([name, { min, max }]) => {
      const usual = Math.min(Math.max(USUAL, Number(min ?? 1)), Number(max ?? Number.POSITIVE_INFINITY));
      return [name, known.get(name) ?? usual];
    }),
  );
}

function boundBy(program: Program, inputs: readonly LeafInfo[], example: readonly unknown[]): Sizes {
  const shapes = new Map<string, GivenShape>();
  inputs.forEach(({ value }, i) => {
    const leaf = example[i] as { readonly shape?: readonly number[] } | number | bigint | null;
    if (value === null || leaf === null) return;
    if (typeof leaf === "number" || typeof leaf === "bigint") shapes.set(value, leaf);
    else if (leaf?.shape !== undefined) shapes.set(value, leaf.shape);
  });
  try {
    return new Map([...bindSymbols(program, shapes)].map(([name, size]) => [name, Number(size)]));
  } catch {
    // An example that breaks the program's own rules teaches nothing.
    return new Map();
  }
}

function sizesOf({ graph }: Program, value: string | null): readonly SymInt[] {
  const type = graph.values.get(value ?? "");
  if (type?.kind === "tensor") return type.shape;
  return type?.kind === "symint" && type.value !== null ? [type.value] : [];
}
