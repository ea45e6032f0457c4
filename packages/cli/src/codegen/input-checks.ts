import { evaluate, type Program, parseSym, type SymExpr, type SymInt, type TensorType } from "@pt2/graph";
import { stringLiteral } from "../declare/quote.ts";

/** A lower bound up to this is in the ranges of all sizes, and not required, as in `load`. */
const ASSUMED_LEAST = 2;

/** What stands for each symbol in a generated function. */
type Symbols = Map<string, string>;

/** Writes what `load` checks of the inputs of a program: dtypes, shapes, and the ranges of sizes. `textOf` writes a value. */
export function inputChecks(program: Program, textOf: (value: string) => string): readonly string[] {
  const given = program.inputs.flatMap((spec) => {
    if (spec.kind !== "user_input" || spec.value === null) return [];
    const type = program.graph.values.get(spec.value);
    return type === undefined ? [] : [{ text: textOf(spec.value), type }];
  });
  const sizes = given.flatMap(({ text, type }) => {
    if (type.kind === "symint" && type.value !== null) return [{ text, size: type.value }];
    return type.kind === "tensor" ? type.shape.map((size, i) => ({ text: `${text}.shape[${i}]!`, size })) : [];
  });
  const symbols: Symbols = new Map();
  const isPlain = (size: SymInt): boolean => typeof size === "object" && size.kind === "symbol";
  const solved = [...sizes.filter(({ size }) => isPlain(size)), ...sizes].flatMap(({ text, size }) =>
    typeof size === "object" ? solve(size, text, symbols) : [],
  );
  const lines = given.flatMap(({ text, type }) => {
    if (type.kind === "tensor") return [tensorCheck(text, type, symbols)];
    const wanted = type.kind === "symint" && type.value !== null ? sizeText(type.value, symbols) : text;
    return wanted === text || wanted === null ? [] : [refusal(`${text} === ${wanted}`)];
  });
  return [...lines, ...solved, ...rangeChecks(program, symbols)];
}

/** Finds what the only symbol of an expression stands for that is linear in it; returns what that has to fulfill. */
function solve(size: SymExpr, text: string, symbols: Symbols): readonly string[] {
  const [symbol, ...others] = unknownsOf(size, symbols);
  if (symbol === undefined || others.length > 0) return [];
  if (size.kind === "symbol") {
    symbols.set(symbol, text);
    return [];
  }
  const at = (value: number): number => {
    const known = [...symbols.keys()].map((name) => [name, 0] as const);
    return Number(evaluate(size, new Map([...known, [symbol, value]])));
  };
  const isAlone = unknownsOf(size, new Map()).size === 1;
  const [base, scale] = [at(0), at(1) - at(0)];
  if (!isAlone || scale === 0 || at(2) !== base + 2 * scale || at(7) !== base + 7 * scale) return [];
  const found = base === 0 ? `(${text} / ${scale})` : `((${text} - ${base}) / ${scale})`;
  symbols.set(symbol, found);
  return Math.abs(scale) === 1 ? [] : [refusal(`Number.isInteger(${found})`)];
}

function unknownsOf(expr: SymExpr, symbols: Symbols): ReadonlySet<string> {
  if (expr.kind === "symbol") return new Set(symbols.has(expr.name) ? [] : [expr.name]);
  return new Set(expr.kind === "call" ? expr.args.flatMap((arg) => [...unknownsOf(arg, symbols)]) : []);
}

function tensorCheck(text: string, { dtype, shape }: TensorType, symbols: Symbols): string {
  const sizes = shape.map((size, i) => {
    const wanted = sizeText(size, symbols);
    // What a symbol was found from needs no check.
    return wanted?.includes(`${text}.shape[${i}]!`) ? null : wanted;
  });
  return `expects(${stringLiteral(text)}, ${text}, ${stringLiteral(dtype)}, [${sizes.map(String).join(", ")}]);`;
}

function rangeChecks({ ranges }: Program, symbols: Symbols): readonly string[] {
  return [...ranges].flatMap(([name, { min, max }]) => {
    const text = sizeText(parseSym(name), symbols);
    if (text === null) return [];
    const least = min !== null && min > ASSUMED_LEAST ? [`${text} >= ${min}`] : [];
    const most = max !== null ? [`${text} <= ${max}`] : [];
    return [...least, ...most].map(refusal);
  });
}

function refusal(condition: string): string {
  return `if (!(${condition})) throw new RangeError(${stringLiteral(`It must be that ${condition.replaceAll("!", "")}`)});`;
}

const JOINS: Readonly<Record<string, string>> = { Add: " + ", Mul: " * ", IntTrueDiv: " / " };
const CALLS: Readonly<Record<string, string>> = { Max: "Math.max", Min: "Math.min" };

/** Writes a size; null where it has a symbol that nothing stands for, or a function that is none of sizes of inputs. */
function sizeText(size: SymInt, symbols: Symbols): string | null {
  if (typeof size !== "object") return String(size);
  if (size.kind === "symbol") return symbols.get(size.name) ?? null;
  if (size.kind !== "call") return String(size.value);
  const args = size.args.map((arg) => sizeText(arg, symbols));
  if (args.includes(null)) return null;
  const [join, call] = [JOINS[size.fn], CALLS[size.fn]];
  if (join !== undefined) return `(${args.join(join)})`;
  if (call !== undefined) return `${call}(${args.join(", ")})`;
  if (size.fn === "FloorDiv") return `Math.floor(${args.join(" / ")})`;
  return size.fn === "Mod" ? `(${args.join(" % ")})` : null;
}
