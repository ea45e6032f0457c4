import { isComplexDtype } from "@pt2/engine";
import { DTYPES, type DType } from "@pt2/format";
import type { Shader } from "../../shader/shader.ts";
import { f32Literal } from "../../wgsl/literal.ts";
import { computeType } from "../../wgsl/storage.ts";

/** What goes along a lane: two numbers that stand for all elements so far. */
export interface ScanState {
  /** Dtype in which elements are read. */
  readonly reads: DType;
  /** WGSL types of its numbers `a` and `b`. */
  readonly types: readonly [a: Word, b: Word];
  /** WGSL of what stands for no element. */
  readonly start: readonly [a: string, b: string];
  /** WGSL of what stands for the element `x` alone, the `k`-th of its lane. */
  readonly one: readonly [a: string, b: string];
  /** WGSL that returns what stands for `s` and then `t`. */
  readonly two: string;
  /** WGSL of the results for what `s` stands for. */
  readonly results: readonly string[];
  /** WGSL of functions that `two` calls, which may use `p.zero`, of which no compiler knows that it is 0. */
  readonly declarations?: string;
  /** Whether elements can be combined with each other before they are with those in front of them. Default: true. */
  readonly associative?: boolean;
}

type Word = "f32" | "i32" | "u32";

/** Declares the struct `ScanState`, `start()`, `one(x, k)` and `two(s, t)`. */
export function declareScanState(shader: Shader, state: ScanState): string {
  shader.u32("zero", 0);
  const {
    reads,
    types: [a, b],
    start,
    one,
    two,
    declarations = "",
  } = state;
  return `struct ScanState { a: ${a}, b: ${b} }
${declarations}fn start() -> ScanState { return ScanState(${start.join(", ")}); }
fn one(x: ${computeType(reads)}, k: u32) -> ScanState { return ScanState(${one.join(", ")}); }
fn two(s: ScanState, t: ScanState) -> ScanState { ${two} }
`;
}

/** A running sum. A second float has what the first one loses, so that long sums stay exact to the last digits. */
export function sum(dtype: DType): ScanState {
  if (isComplexDtype(dtype)) return complex(dtype, 0, "return ScanState(s.a + t.a, s.b + t.b);");
  if (DTYPES[dtype].kind !== "float") return integer("0", "return ScanState(s.a + t.a, 0);");
  return {
    reads: "float32",
    types: ["f32", "f32"],
    start: ["0f", "0f"],
    one: ["x", "0f"],
    two: `let a = kept(s.a + t.a);
  let gained = kept(a - s.a);
  let lost = (s.a - (a - gained)) + (t.a - gained);
  return ScanState(a, select(s.b + t.b + lost, 0f, is_inf(a) || is_nan(a)));`,
    results: ["s.a + s.b"],
    // Compilers that take float32 for real numbers would find that nothing is lost.
    declarations: "fn kept(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) ^ p.zero); }\n",
  };
}

/** A running product. Floats are kept as `a · 2^b`, which goes beyond float32 on the way as PyTorch's doubles do. */
export function product(dtype: DType): ScanState {
  if (isComplexDtype(dtype)) {
    const two = "let z = mul_complex(vec2(s.a, s.b), vec2(t.a, t.b)); return ScanState(z.x, z.y);";
    return { ...complex(dtype, 1, two), associative: false };
  }
  if (DTYPES[dtype].kind !== "float") return integer("1", "return ScanState(s.a * t.a, 0);");
  return {
    reads: "float32",
    types: ["f32", "i32"],
    start: ["1f", "0"],
    one: ["x", "0"],
    two: `let x = with_room(s);
  let y = with_room(t);
  return ScanState(x.a * y.a, x.b + y.b);`,
    results: ["scale_f32(s.a, clamp(s.b, -252, 252))"],
    // The product of two such numbers is neither too large nor too small for a float.
    declarations: `fn with_room(s: ScanState) -> ScanState {
  let m = abs(s.a);
  if (m > ${f32Literal(2 ** 60)}) { return ScanState(s.a * ${f32Literal(2 ** -68)}, s.b + 68); }
  if (m < ${f32Literal(2 ** -60)}) { return ScanState(s.a * ${f32Literal(2 ** 68)}, s.b - 68); }
  return s;
}
`,
  };
}

function complex(dtype: DType, start: number, two: string): ScanState {
  return {
    reads: dtype,
    types: ["f32", "f32"],
    start: [`${start}f`, "0f"],
    one: ["x.x", "x.y"],
    two,
    results: ["vec2(s.a, s.b)"],
  };
}

function integer(start: string, two: string): ScanState {
  return { reads: "int32", types: ["i32", "i32"], start: [start, "0"], one: ["x", "0"], two, results: ["s.a"] };
}

/** The greatest element so far, or the least, and where it is: the last of equal ones. A NaN stays. */
export function extreme(dtype: DType, better: ">=" | "<="): ScanState {
  const type = computeType(dtype);
  const held = type === "bool" ? "u32" : (type as Word);
  const wins = `t.a ${better} s.a`;
  const worst = WORST[held][better];
  return {
    reads: dtype,
    types: [held, "u32"],
    start: [worst, "0u"],
    one: [type === "bool" ? "u32(x)" : "x", "k"],
    two: `if (${type === "f32" ? `is_nan(t.a) || (!is_nan(s.a) && ${wins})` : wins}) { return t; }\n  return s;`,
    results: [type === "bool" ? "s.a != 0u" : "s.a", "i32(s.b)"],
  };
}

const [INFINITY, MINUS_INFINITY] = [1 / 0, -1 / 0].map(f32Literal) as [string, string];
const WORST: Readonly<Record<Word, Readonly<Record<">=" | "<=", string>>>> = {
  f32: { ">=": MINUS_INFINITY, "<=": INFINITY },
  i32: { ">=": "i32(-2147483648)", "<=": "2147483647i" },
  u32: { ">=": "0u", "<=": "4294967295u" },
};

/** `log(sum(exp(x)))` so far: the greatest element, and the sum relative to it. */
export function logSumExp(): ScanState {
  return {
    reads: "float32",
    types: ["f32", "f32"],
    start: [MINUS_INFINITY, "0f"],
    one: ["x", "1f"],
    two: `if (is_nan(s.a) || is_nan(t.a)) { return ScanState(f32_bits(0x7fc00000u), 1f); }
  let a = max(s.a, t.a);
  if (is_inf(a)) { return ScanState(a, 1f); }
  return ScanState(a, s.b * exp_f32(s.a - a) + t.b * exp_f32(t.a - a));`,
    results: ["s.a + log_f32(s.b)"],
  };
}
