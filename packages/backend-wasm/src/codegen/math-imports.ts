// The functions that generated code imports from JavaScript, which neither the instruction set nor an approximation
// has.
import { type BinaryFn, FLOAT_UNARY, type FloatBinaryFn, floatBinary, type UnaryFn } from "@pt2/registry/scalar";
import { lanewise } from "./casts.ts";
import { emitter } from "./emit.ts";
import type { FunctionBody, ImportedFunction, ValueType } from "./encoder.ts";
import { type Node, nodeGraph } from "./nodes.ts";

/** Functions of two numbers. V8 calls its own without a way through JavaScript; where `pow` is not C's, `lower-float.ts` says. */
const BINARY = {
  pow: Math.pow,
  fmod: (x: number, y: number): number => x % y,
  atan2: Math.atan2,
  hypot: (x: number, y: number): number => floatBinary("hypot", x, y, "float64"),
  nextafter: (x: number, y: number): number => floatBinary("nextafter", x, y, "float64"),
  nextafter32: (x: number, y: number): number => floatBinary("nextafter", x, y, "float32"),
} satisfies { readonly [F in FloatBinaryFn | "nextafter32"]?: (x: number, y: number) => number };

/** The functions of the import object, by name. */
export const MATH: Readonly<Record<string, CallableFunction>> = {
  ...FLOAT_UNARY,
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
  ...Object.keys(FLOAT_UNARY).map((name) => imported(name, "f64", 1)),
  ...Object.keys(BINARY).map((name) => imported(name, "f64", 2)),
  imported("ipow", "i64", 2),
];

function imported(name: string, type: ValueType, operands: number): ImportedFunction {
  return { name, signature: { params: Array.from({ length: operands }, () => type), results: [type] } };
}

const INDEX: ReadonlyMap<string, number> = new Map(IMPORTS.map(({ name }, index) => [name, index]));

/** Generates a function of vectors that calls an import for each lane, by a name such as `sin.f32x4`. */
export function helperFunction(name: string): FunctionBody {
  const [fn, shape] = name.split(".") as [UnaryFn | BinaryFn | "ipow", "f32x4" | "f64x2" | "i64x2"];
  const callee = fn === "nextafter" && shape === "f32x4" ? "nextafter32" : fn;
  const importIndex = INDEX.get(callee) as number;
  const { params } = (IMPORTS[importIndex] as ImportedFunction).signature;
  const g = nodeGraph();
  const e = emitter(params.length, () => importIndex);
  const type = params[0] as ValueType;
  const operands = params.map((_, i) => g.local(i, "v128", 2));
  const result = lanewise(g, shape, shape, operands, (...lanes) => {
    if (shape !== "f32x4") return g.call(callee, type, ...lanes);
    const wide = lanes.map((lane): Node => g.op("f64.promote_f32", lane));
    return g.op("f32.demote_f64", g.call(callee, type, ...wide));
  });
  e.region([result]);
  e.push(result);
  const signature = { params: params.map(() => "v128" as const), results: ["v128" as const] };
  return { signature, locals: e.locals, code: e.code };
}
