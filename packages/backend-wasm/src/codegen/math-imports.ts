// The functions that generated code imports from JavaScript, which neither the instruction set nor an approximation
// has.
import { onDemand } from "@pt2/registry/on-demand";
import {
  type BinaryFn,
  digamma,
  ELEMENTARY,
  type FloatBinaryFn,
  type FloatUnaryFn,
  lgamma,
  type UnaryFn,
} from "@pt2/registry/scalar";
import { lanewise } from "./casts.ts";
import { vectorOps } from "./doubles.ts";
import { emitter } from "./emit.ts";
import type { FunctionBody, ImportedFunction, ValueType } from "./encoder.ts";
import { type Node, nodeGraph } from "./nodes.ts";
import type { VECTOR_FUNCTIONS } from "./vector-functions.ts";

/** Functions of one number. The error function and its relatives are computed by vectors in every precision. */
const UNARY: { readonly [F in FloatUnaryFn]?: (x: number) => number } = { ...ELEMENTARY, digamma, lgamma };

/** Functions of two numbers. V8 calls its own without a way through JavaScript; where `pow` is not C's, `float-power.ts` says. */
const BINARY = {
  pow: Math.pow,
  fmod: (x: number, y: number): number => x % y,
  atan2: Math.atan2,
  hypot: Math.hypot,
} satisfies { readonly [F in FloatBinaryFn]?: (x: number, y: number) => number };

/** The functions of the import object, by name. */
export const MATH: Readonly<Record<string, CallableFunction>> = {
  ...UNARY,
  ...BINARY,
  ipow: intPower,
};

function intPower(x: bigint, y: bigint): bigint {
  if (y < 0n) return x === 1n ? 1n : x === -1n ? (y % 2n === 0n ? 1n : -1n) : 0n;
  let [result, base] = [1n, x];
  for (let rest = y; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = BigInt.asIntN(64, result * base);
    base = BigInt.asIntN(64, base * base);
  }
  return result;
}

/** Every import, in the order of their indices. All modules import all of them. */
export const IMPORTS: readonly ImportedFunction[] = [
  ...Object.keys(UNARY).map((name) => imported(name, "f64", 1)),
  ...Object.keys(BINARY).map((name) => imported(name, "f64", 2)),
  imported("ipow", "i64", 2),
];

function imported(name: string, type: ValueType, operands: number): ImportedFunction {
  return { name, signature: { params: Array.from({ length: operands }, () => type), results: [type] } };
}

const INDEX: ReadonlyMap<string, number> = new Map(IMPORTS.map(({ name }, index) => [name, index]));

/** Returns the functions that are computed by vectors. They load with the first kernel that calls one. */
export const vectorFunctions: () => typeof VECTOR_FUNCTIONS = onDemand(
  "elementwise functions",
  async () => (await import("./vector-functions.ts")).VECTOR_FUNCTIONS,
);

/**
 * Generates a function of vectors. Its name is such as `sin.f32x4`, or `sin.f32x4.each` for one that calls an import for
 * each lane, as those do that no vectors compute. `helper` returns the index of another such function.
 */
export function helperFunction(name: string, helper: (name: string) => number): FunctionBody {
  const [fn, shape, each] = name.split(".") as [UnaryFn | BinaryFn | "ipow", "f32x4" | "f64x2" | "i64x2", "each"?];
  const compute = each === undefined ? vectorFunctions()[name] : undefined;
  // The first parameter of a vector function is not an operand.
  const arity = compute === undefined ? IMPORTS[INDEX.get(fn)!]!.signature.params.length : compute.length - 1;
  const params = Array.from({ length: arity }, () => "v128" as const);
  const g = nodeGraph();
  const e = emitter(arity, (called) => INDEX.get(called) ?? helper(called));
  const type = shape === "i64x2" ? "i64" : "f64";
  const operands = params.map((_, i) => g.local(i, "v128", 2));
  const one = (...lanes: Node[]): Node => {
    if (shape !== "f32x4") return g.call(fn, type, ...lanes);
    const wide = lanes.map((lane): Node => g.op("f64.promote_f32", lane));
    return g.op("f32.demote_f64", g.call(fn, type, ...wide));
  };
  const result = compute?.(vectorOps(g), ...operands) ?? lanewise(g, shape, shape, operands, one);
  e.region([result]);
  e.push(result);
  return { signature: { params, results: ["v128"] }, locals: e.locals, code: e.code };
}
