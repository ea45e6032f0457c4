import type { Arg, SymInt, TensorType } from "@pt2/graph";

/** The argument `None`. */
export const NONE: Arg = { kind: "none" };

/** Makes an argument of an integer. */
export function intArg(value: number | bigint): Arg {
  return { kind: "int", value };
}

/** Makes an argument of a list of integers. */
export function intsArg(values: readonly (number | bigint)[]): Arg {
  return { kind: "list", items: values.map(intArg) };
}

/** Makes an argument of a float. */
export function floatArg(value: number): Arg {
  return { kind: "float", value };
}

/** Makes an argument of a string. */
export function textArg(value: string): Arg {
  return { kind: "string", value };
}

/** Whether an argument is given, and true. */
export function isTrue(arg: Arg | undefined): boolean {
  return arg?.kind === "bool" && arg.value;
}

/** Whether two arguments are one value of the program. */
export function isSameValue(a: Arg | undefined, b: Arg | undefined): boolean {
  return a?.kind === "value" && b?.kind === "value" && a.name === b.name;
}

/** A plain number; undefined for anything else. */
export function numberOf(arg: Arg | undefined): number | undefined {
  if (arg?.kind === "float") return arg.value;
  return arg?.kind === "int" ? Number(arg.value) : undefined;
}

/** A list of plain integers; undefined for anything else. */
export function intsOf(arg: Arg | undefined): readonly number[] | undefined {
  if (arg?.kind !== "list") return undefined;
  const numbers = arg.items.map((item) => (item.kind === "int" ? Number(item.value) : Number.NaN));
  return numbers.some(Number.isNaN) ? undefined : numbers;
}

/** An `int[2]` argument, which may be one number, or absent. */
export function pairOf(arg: Arg | undefined, fallback: number): readonly [number, number] | undefined {
  if (arg === undefined || arg.kind === "none") return [fallback, fallback];
  const numbers = arg.kind === "int" ? [Number(arg.value)] : intsOf(arg);
  const [first, second = first, ...rest] = numbers ?? [];
  return first === undefined || second === undefined || rest.length > 0 ? undefined : [first, second];
}

/** A shape without symbols. */
export function knownShape(type: TensorType | undefined): readonly number[] | undefined {
  const sizes = type?.shape.map(knownSize);
  return sizes?.every((size) => size !== undefined) ? sizes : undefined;
}

function knownSize(size: SymInt | undefined): number | undefined {
  return typeof size === "number" || typeof size === "bigint" ? Number(size) : undefined;
}
