import type { DType } from "@pt2/format";
import { fold, type TypedExpr } from "@pt2/registry/scalar";

/** The functions of the instructions, in the order of `PointwiseFn` in `native/src/kernels/pointwise.h`. */
// biome-ignore format: in groups
export const POINTWISE_FNS = [
  "copy", "neg", "abs", "sqrt", "exp", "tanh", "erf",
  "add", "sub", "mul", "div", "min", "max", "eq", "ne", "lt", "le", "gt", "ge", "select",
  "round_float16", "round_bfloat16",
] as const;

/** Numbers of an instruction: function, result, three operands. */
const FIELDS = 5;
/** Registers of the kernel. */
const REGISTERS = 64;
/** Beyond this many blocks of 1 KiB the first-level cache is full. */
const MAX_INPUTS = 16;
const MAX_RESULTS = 12;
/** Longer programs are rare, and compiling a group again for each of its nodes would take long. */
const MAX_INSTRUCTIONS = 128;

/** One elementwise value of a group: an expression of other values, by the index of `operands`. */
export interface PointwiseValue {
  readonly name: string;
  readonly expr: TypedExpr;
  readonly operands: readonly string[];
}

/** The arguments of `pt2::pointwise`, whose results are those of `results` and then those of `masks`. */
export interface PointwiseCode {
  readonly inputs: readonly string[];
  readonly constants: readonly number[];
  readonly code: readonly number[];
  readonly results: readonly number[];
  readonly masks: readonly number[];
  /** The names of the results, in order. */
  readonly names: readonly string[];
}

/** An instruction whose registers are not yet shared: operands are inputs, constants, or instructions before it. */
interface Instruction {
  readonly fn: number;
  readonly operands: readonly Register[];
}

type Register =
  | { readonly kind: "input" | "result"; readonly index: number }
  | { readonly kind: "const"; readonly value: number };

/**
 * Whether the kernel computes an expression: float32 and bool, and the functions that it has. Numbers of other dtypes are
 * those that it rounds to.
 */
export function isPointwise(expr: TypedExpr): boolean {
  // Nodes may be shared: each is visited once.
  return fold<boolean>([expr], (node, of) => {
    if (node.kind === "cast" && ROUNDINGS.has(node.dtype)) return of(node.x);
    if (node.dtype !== "float32" && node.dtype !== "bool") return false;
    switch (node.kind) {
      case "input":
      case "const":
        return true;
      case "cast":
        return of(node.x);
      case "select":
        return of(node.c) && of(node.x) && of(node.y);
      case "unary":
        return (FNS.has(node.fn) || UNARY.has(node.fn)) && of(node.x);
      case "binary":
        return (FNS.has(node.fn) || ON_MASKS.has(node.fn)) && of(node.x) && of(node.y);
    }
  })[0] as boolean;
}

/**
 * Compiles values, which come before those that read them. `first` is the first input, which decides the order of the
 * results in memory; `live` tells which values are read afterwards. Returns null where they need more registers than
 * there are.
 */
export function compilePointwise(
  values: readonly PointwiseValue[],
  first: string,
  live: (name: string) => boolean,
): PointwiseCode | null {
  const compiler = new Compiler(first);
  for (const value of values) compiler.define(value);
  return compiler.finish(values.filter(({ name }) => live(name)));
}

/** Returns the functions of the instructions, in order. */
export function functionsOf({ code }: PointwiseCode): readonly string[] {
  return code.flatMap((fn, i) => (i % FIELDS === 0 ? [POINTWISE_FNS[fn]!] : []));
}

const FNS: ReadonlySet<string> = new Set(POINTWISE_FNS);
/** Functions that are another one: of masks, which are 1 and 0, and of NaN and infinity. */
const UNARY: ReadonlySet<string> = new Set(["not", "isnan", "isinf"]);
/** Functions that make the nearest number of another dtype. */
const ROUNDINGS: ReadonlyMap<DType, string> = new Map([
  ["float16", "round_float16"],
  ["bfloat16", "round_bfloat16"],
]);
const ON_MASKS: ReadonlyMap<string, string> = new Map([
  ["and", "mul"],
  ["or", "max"],
  ["xor", "ne"],
]);

class Compiler {
  readonly #inputs: string[];
  readonly #instructions: Instruction[] = [];
  /** Where each value, and each expression that was computed, is. */
  readonly #values = new Map<string, Register>();
  readonly #known = new Map<string, Register>();

  constructor(first: string) {
    this.#inputs = [first];
  }

  define({ name, expr, operands }: PointwiseValue): void {
    const memo = new Map<TypedExpr, Register>();
    const visit = (node: TypedExpr): Register => {
      const known = memo.get(node) ?? this.#expression(node, operands, visit);
      memo.set(node, known);
      return known;
    };
    const found = visit(expr);
    // A result needs memory of its own.
    this.#values.set(
      name,
      found.kind === "result" && !this.#isNamed(found) ? found : this.#emit("copy", [found], name),
    );
  }

  finish(live: readonly PointwiseValue[]): PointwiseCode | null {
    const isMask = ({ expr }: PointwiseValue): boolean => expr.dtype === "bool";
    const [results, masks] = [live.filter((value) => !isMask(value)), live.filter(isMask)];
    const returned = [...results, ...masks].map(({ name }) => this.#values.get(name)! as Register & { index: number });
    const constants = new Map<string, number>();
    for (const operand of this.#instructions.flatMap(({ operands }) => operands)) {
      if (operand.kind === "const") constants.set(keyOf(operand), operand.value);
    }
    const keys = [...constants.keys()];
    const base = this.#inputs.length + keys.length;
    if (this.#inputs.length > MAX_INPUTS || returned.length > MAX_RESULTS) return null;
    if (this.#instructions.length > MAX_INSTRUCTIONS) return null;
    const placed = place(this.#instructions, new Set(returned.map(({ index }) => index)));
    if (base + Math.max(0, ...placed) + 1 > REGISTERS) return null;
    const registerOf = (register: Register): number => {
      if (register.kind === "input") return register.index;
      if (register.kind === "const") return this.#inputs.length + keys.indexOf(keyOf(register));
      return base + placed[register.index]!;
    };
    const code = this.#instructions.flatMap(({ fn, operands }, i) => {
      const [x = 0, y = 0, z = 0] = operands.map(registerOf);
      return [fn, base + placed[i]!, x, y, z];
    });
    return {
      inputs: this.#inputs,
      constants: [...constants.values()],
      code,
      results: returned.slice(0, results.length).map(registerOf),
      masks: returned.slice(results.length).map(registerOf),
      names: [...results, ...masks].map(({ name }) => name),
    };
  }

  #expression(node: TypedExpr, operands: readonly string[], visit: (node: TypedExpr) => Register): Register {
    switch (node.kind) {
      case "input":
        return this.#read(operands[node.index]!);
      case "const":
        return constant(node.value);
      case "cast":
        return this.#cast(node.dtype, visit(node.x));
      case "select":
        return this.#emit("select", [visit(node.c), visit(node.x), visit(node.y)]);
      case "unary": {
        const x = visit(node.x);
        if (node.fn === "not") return this.#emit("eq", [x, constant(0)]);
        if (node.fn === "isnan") return this.#emit("ne", [x, x]);
        if (node.fn === "isinf") return this.#emit("eq", [this.#emit("abs", [x]), constant(Number.POSITIVE_INFINITY)]);
        return this.#emit(node.fn, [x]);
      }
      case "binary":
        return this.#emit(ON_MASKS.get(node.fn) ?? node.fn, [visit(node.x), visit(node.y)]);
    }
  }

  #cast(dtype: DType, x: Register): Register {
    if (dtype === "bool") return this.#emit("ne", [x, constant(0)]);
    const rounding = ROUNDINGS.get(dtype);
    return rounding === undefined ? x : this.#emit(rounding, [x]);
  }

  #read(name: string): Register {
    const known = this.#values.get(name);
    if (known !== undefined) return known;
    const at = this.#inputs.indexOf(name);
    const register: Register = { kind: "input", index: at < 0 ? this.#inputs.push(name) - 1 : at };
    this.#values.set(name, register);
    return register;
  }

  /** Appends an instruction, unless an earlier one computes the same. */
  #emit(fn: string, operands: readonly Register[], unique = ""): Register {
    const key = `${fn} ${operands.map(keyOf).join(" ")} ${unique}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const index = this.#instructions.push({ fn: POINTWISE_FNS.indexOf(fn as "add"), operands }) - 1;
    const register: Register = { kind: "result", index };
    this.#known.set(key, register);
    return register;
  }

  #isNamed(register: Register & { readonly index: number }): boolean {
    return [...this.#values.values()].some((other) => other.kind === "result" && other.index === register.index);
  }
}

/** Gives each instruction a register for its result, which is free again after its last reader. */
function place(instructions: readonly Instruction[], kept: ReadonlySet<number>): readonly number[] {
  const lastReader = new Map<number, number>();
  for (const [i, { operands }] of instructions.entries()) {
    for (const operand of operands) if (operand.kind === "result") lastReader.set(operand.index, i);
  }
  const placed: number[] = [];
  const free: number[] = [];
  let count = 0;
  for (const [i, { operands }] of instructions.entries()) {
    const done = operands.flatMap((o) =>
      o.kind === "result" && lastReader.get(o.index) === i && !kept.has(o.index) ? [o.index] : [],
    );
    // An instruction reads a vector before it writes it, so the result may take the place of an operand.
    for (const index of new Set(done)) free.push(placed[index]!);
    placed.push(free.pop() ?? count++);
    if (!lastReader.has(i) && !kept.has(i)) free.push(placed[i]!);
  }
  return placed;
}

/** Tells registers apart, and numbers as `Object.is` does. */
function keyOf(register: Register): string {
  if (register.kind !== "const") return `${register.kind} ${register.index}`;
  return Object.is(register.value, -0) ? "-0" : `${register.value}`;
}

function constant(value: bigint | boolean | number): Register {
  return { kind: "const", value: Number(value) };
}
