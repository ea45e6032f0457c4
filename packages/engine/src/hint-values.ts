import { evaluate, evaluateSize, type Graph, type Program, type SymInt, type SymRange } from "@pt2/graph";
import type { ArgValue, TensorMeta } from "@pt2/registry";

/** Sizes that are assumed where a program leaves them open. They are small, and differ from each other. */
const PRIMES = [5, 7, 11, 13, 17, 19, 23, 29, 31, 37] as const;

/** Returns one possible size for every symbol of a program, within its range. */
export function hintBindings(program: Program): ReadonlyMap<string, number | bigint> {
  const bindings = new Map<string, number>();
  const bind = (name: string): void => {
    if (!bindings.has(name)) bindings.set(name, hintOf(program.ranges.get(name), bindings.size));
  };
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if ("kind" in value && value.kind === "symbol" && "name" in value) bind(String(value.name));
    if ("args" in value && Array.isArray(value.args)) value.args.forEach(visit);
  };
  for (const type of program.graph.values.values()) {
    if (type.kind === "tensor") type.shape.forEach(visit);
    else if (type.kind !== "object") visit(type.value);
  }
  return bindings;
}

function hintOf(range: SymRange | undefined, index: number): number {
  const [min, max] = [Number(range?.min ?? 0), Number(range?.max ?? Number.POSITIVE_INFINITY)];
  const primes = [...PRIMES.slice(index % PRIMES.length), ...PRIMES];
  return primes.find((prime) => prime >= min && prime <= max) ?? Math.min(Math.max(min, PRIMES[0]), max);
}

/**
 * Returns what values of a graph may be, by name; values whose type is not recorded, or that are not numbers, are left
 * out.
 */
export function hintValues(
  names: readonly string[],
  { values }: Graph,
  bindings: ReadonlyMap<string, number | bigint>,
): ReadonlyMap<string, ArgValue> {
  const hints = new Map<string, ArgValue>();
  for (const name of names) {
    const type = values.get(name);
    if (type === undefined) continue;
    const value = tryTo((): ArgValue | undefined => {
      switch (type.kind) {
        case "tensor":
          return tensorHint(type.dtype, type.shape, name, bindings);
        case "symint":
          return type.value === null ? PRIMES[0] : (evaluate(type.value, bindings) as number | bigint);
        case "symfloat":
          return { float: type.value === null ? 0.5 : Number(evaluate(type.value, bindings)) };
        case "symbool":
          return type.value === null ? true : Boolean(evaluate(type.value, bindings));
        default:
          return undefined;
      }
    });
    if (value !== undefined) hints.set(name, value);
  }
  return hints;
}

function tensorHint(
  dtype: TensorMeta["dtype"],
  shape: readonly SymInt[],
  name: string,
  bindings: ReadonlyMap<string, number | bigint>,
): TensorMeta & { readonly name: string } {
  return { dtype, shape: shape.map((size) => evaluateSize(size, bindings)), name };
}

/** A size that cannot be evaluated with the hints is unknown. */
function tryTo<T>(compute: () => T): T | undefined {
  try {
    return compute();
  } catch {
    return undefined;
  }
}
