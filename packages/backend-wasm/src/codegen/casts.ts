import { DTYPES, type DType } from "@pt2/format";
import { type Lanes, type Representation, representation } from "./lanes.ts";
import type { Node, NodeGraph } from "./nodes.ts";
import type { Instruction } from "./opcodes.ts";
import { decode, encode } from "./small-floats.ts";

const LOW_WORDS = [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27];
const LOW_HALVES = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];
const HIGH_HALF = [8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15];

/** Applies a scalar instruction to each lane: for what SIMD lacks, and for what may only be done to some lanes. */
export function lanewise(
  g: NodeGraph,
  from: "i32x4" | "i64x2" | "f64x2" | "f32x4",
  to: "i32x4" | "i64x2" | "f64x2" | "f32x4",
  operands: readonly Node[],
  one: (...lanes: Node[]) => Node,
): Node {
  const count = to.endsWith("4") ? 4 : 2;
  let vector: Node | undefined;
  for (let lane = 0; lane < count; lane++) {
    const value = one(...operands.map((operand) => g.lane(`${from}.extract_lane`, lane, operand)));
    vector = vector === undefined ? g.op(`${to}.splat`, value) : g.lane(`${to}.replace_lane`, lane, vector, value);
  }
  return vector as Node;
}

/** Makes a mask of four lanes from two registers of two. */
export function narrowMask(g: NodeGraph, [low, high]: Lanes): Node {
  return g.shuffle(low as Node, high as Node, LOW_WORDS);
}

/** Widens a mask to a representation. */
export function widenMask(g: NodeGraph, mask: Node, to: Representation): Lanes {
  if (to !== "f64" && to !== "i64") return [mask];
  return [g.op("i64x2.extend_low_i32x4_s", mask), g.op("i64x2.extend_high_i32x4_s", mask)];
}

/** Keeps the low bits that an integer dtype has, extended again. */
export function wrapTo(g: NodeGraph, dtype: DType, lanes: Lanes): Lanes {
  const { itemsize, kind } = DTYPES[dtype];
  if (itemsize >= 4) return lanes;
  return lanes.map((x) => {
    if (kind === "uint") return g.op("v128.and", x, g.i32x4(2 ** (8 * itemsize) - 1));
    const shift = g.i32(32 - 8 * itemsize);
    return g.op("i32x4.shr_s", g.op("i32x4.shl", x, shift), shift);
  });
}

/** Converts as `Tensor.to` does on x86. */
export function castLanes(g: NodeGraph, from: DType, to: DType, lanes: Lanes): Lanes {
  if (from === to) return lanes;
  const source = representation(from);
  // An int64 has every uint32, and its low word is what a number is as uint32.
  if (from === "uint32") {
    const halves = (["low", "high"] as const).map((half) => g.op(`i64x2.extend_${half}_i32x4_u`, lanes[0] as Node));
    return castLanes(g, "int64", to, halves);
  }
  if (to === "uint32") return [narrowMask(g, castLanes(g, from, "int64", lanes))];
  // By way of an int64, unlike other short integers; float32 has no number of which that would be another byte.
  if (to === "uint8" && source === "f64") return wrapTo(g, to, [narrowMask(g, toI64(g, source, lanes))]);
  if (source === "small")
    return castLanes(
      g,
      "float32",
      to,
      lanes.map((x) => decode(g, from, x)),
    );
  switch (representation(to)) {
    case "small":
      return castLanes(g, from, "float32", lanes).map((x) => encode(g, to, x));
    case "mask":
      return toMask(g, source, lanes);
    case "f32":
      return toF32(g, source, lanes, from);
    case "f64":
      return toF64(g, source, lanes, from);
    case "i64":
      return to === "uint64" && source?.startsWith("f") ? toUint64(g, source, lanes) : toI64(g, source, lanes);
    default:
      return wrapTo(g, to, toI32(g, source, lanes));
  }
}

const ZERO_TESTS = { f32: "f32x4.ne", f64: "f64x2.ne", i32: "i32x4.ne", i64: "i64x2.ne" } as const;

function toMask(g: NodeGraph, source: Representation | undefined, lanes: Lanes): Lanes {
  if (source === "mask") return lanes;
  const test = ZERO_TESTS[source as keyof typeof ZERO_TESTS];
  const masks = lanes.map((x) => g.op(test, x, g.i32x4(0)));
  return masks.length === 2 ? [narrowMask(g, masks)] : masks;
}

const signOf = (dtype: DType | undefined): "s" | "u" => (dtype === "uint64" ? "u" : "s");

function toF32(g: NodeGraph, source: Representation | undefined, lanes: Lanes, from?: DType): Lanes {
  const [x, y] = lanes as readonly [Node, Node];
  switch (source) {
    case "mask":
      return [g.op("v128.and", x, g.f32x4(1))];
    case "f64":
      return [g.shuffle(g.op("f32x4.demote_f64x2_zero", x), g.op("f32x4.demote_f64x2_zero", y), LOW_HALVES)];
    case "i64": {
      const half = (z: Node, lane: number): Node =>
        g.op(`f32.convert_i64_${signOf(from)}`, g.lane("i64x2.extract_lane", lane, z));
      const rest = [half(x, 1), half(y, 0), half(y, 1)];
      return [rest.reduce((v, z, i) => g.lane("f32x4.replace_lane", i + 1, v, z), g.op("f32x4.splat", half(x, 0)))];
    }
    default:
      return [g.op("f32x4.convert_i32x4_s", x)];
  }
}

function toF64(g: NodeGraph, source: Representation | undefined, lanes: Lanes, from?: DType): Lanes {
  const [x] = lanes as readonly [Node];
  const both = (op: Instruction): Lanes => [g.op(op, x), g.op(op, g.shuffle(x, x, HIGH_HALF))];
  switch (source) {
    case "mask":
      return widenMask(g, x, "f64").map((m) => g.op("v128.and", m, g.f64x2(1)));
    case "f32":
      return both("f64x2.promote_low_f32x4");
    case "i64":
      return lanes.map((z) =>
        lanewise(g, "i64x2", "f64x2", [z], (lane) => g.op(`f64.convert_i64_${signOf(from)}`, lane)),
      );
    default:
      return both("f64x2.convert_low_i32x4_s");
  }
}

function toI32(g: NodeGraph, source: Representation | undefined, lanes: Lanes): Lanes {
  const [x, y] = lanes as readonly [Node, Node];
  // The instructions saturate, but x86 gives the least integer for NaN and for all that is out of range.
  const orLeast = (value: Node, inRange: Node): Lanes => [g.op("v128.bitselect", value, g.i32x4(-(2 ** 31)), inRange)];
  switch (source) {
    case "mask":
      return [g.op("v128.and", x, g.i32x4(1))];
    case "i64":
      return [narrowMask(g, lanes)];
    case "f32":
      return orLeast(g.op("i32x4.trunc_sat_f32x4_s", x), g.op("f32x4.lt", x, g.f32x4(2 ** 31)));
    case "f64": {
      const [low, high] = [x, y].map((z) => g.op("i32x4.trunc_sat_f64x2_s_zero", z)) as [Node, Node];
      const inRange = [x, y].map((z) => g.op("f64x2.lt", z, g.f64x2(2 ** 31)));
      return orLeast(g.shuffle(low, high, LOW_HALVES), narrowMask(g, inRange));
    }
    default:
      return lanes;
  }
}

function toI64(g: NodeGraph, source: Representation | undefined, lanes: Lanes): Lanes {
  const [x] = lanes as readonly [Node];
  switch (source) {
    case "mask":
      return widenMask(g, x, "i64").map((m) => g.op("v128.and", m, g.i64x2(1n)));
    case "i64":
      return lanes;
    case "f32":
      return toI64(g, "f64", toF64(g, "f32", lanes));
    case "f64":
      return lanes.map((z) => {
        const value = lanewise(g, "f64x2", "i64x2", [z], (lane) => g.op("i64.trunc_sat_f64_s", lane));
        return g.op("v128.bitselect", value, g.i64x2(-(1n << 63n)), g.op("f64x2.lt", z, g.f64x2(2 ** 63)));
      });
    default:
      return [g.op("i64x2.extend_low_i32x4_s", x), g.op("i64x2.extend_high_i32x4_s", x)];
  }
}

/** Converts numbers from 2^63 on without these; those from 2^64 on become 0. */
function toUint64(g: NodeGraph, source: Representation, lanes: Lanes): Lanes {
  const doubles = source === "f32" ? toF64(g, source, lanes) : lanes;
  const large = doubles.map((x) => g.op("f64x2.ge", x, g.f64x2(2 ** 63)));
  const rest = doubles.map((x, i) => g.op("f64x2.sub", x, g.op("v128.and", large[i] as Node, g.f64x2(2 ** 63))));
  const top = g.i64x2(-(1n << 63n));
  return toI64(g, "f64", rest).map((x, i) => g.op("v128.xor", x, g.op("v128.and", large[i] as Node, top)));
}
