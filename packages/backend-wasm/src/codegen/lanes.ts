// Four elements at a time, whatever their dtype: their representation in registers, and their loads and stores.
import { DTYPES, type DType } from "@pt2/format";
import type { Node, NodeGraph } from "./nodes.ts";
import type { Instruction } from "./opcodes.ts";

/**
 * How four elements are held in one or two registers: floats as they are; integers of up to 32 bits as i32x4, extended;
 * 64-bit ones in two registers, unsigned ones as their bits; bool as an i32x4 mask of 0 and -1; floats of 16 and 8 bits as their bits in i32x4.
 */
export type Representation = "f32" | "f64" | "i32" | "i64" | "mask" | "small";

const REPRESENTATIONS: { readonly [D in DType]?: Representation } = {
  bool: "mask",
  uint8: "i32",
  int8: "i32",
  int16: "i32",
  uint16: "i32",
  int32: "i32",
  uint32: "i32",
  int64: "i64",
  uint64: "i64",
  float16: "small",
  bfloat16: "small",
  float8_e4m3fn: "small",
  float8_e5m2: "small",
  float32: "f32",
  float64: "f64",
};

/** The registers that hold four elements. */
export type Lanes = readonly Node[];

/**
 * Returns the representation of a dtype in registers; undefined for the dtypes that generated kernels do not support.
 */
export function representation(dtype: DType): Representation | undefined {
  return REPRESENTATIONS[dtype];
}

/** Loads four elements that are adjacent. */
export function loadUnit(g: NodeGraph, dtype: DType, address: Node, offset: number): Lanes {
  const { itemsize } = DTYPES[dtype];
  if (itemsize === 8) return [g.load("v128.load", address, offset), g.load("v128.load", address, offset + 16)];
  const op = itemsize === 4 ? "v128.load" : itemsize === 2 ? "v128.load64_zero" : "v128.load32_zero";
  return unpack(g, dtype, [g.load(op, address, offset)]);
}

/**
 * Loads four elements of which every second one is at hand: those of four bytes or eight. No byte behind the last one is read, which
 * may be the last of the memory.
 */
export function loadPairs(g: NodeGraph, dtype: DType, address: Node, offset: number): Lanes {
  const load = (at: number): Node => g.load("v128.load", address, offset + at);
  if (DTYPES[dtype].itemsize === 4) return [g.shuffle(load(0), load(12), FIRST_OF_PAIRS)];
  return [0, 32].map((at) => g.shuffle(load(at), load(at + 8), OUTER_HALVES));
}

const FIRST_OF_PAIRS = [0, 1, 2, 3, 8, 9, 10, 11, 20, 21, 22, 23, 28, 29, 30, 31];
const OUTER_HALVES = [0, 1, 2, 3, 4, 5, 6, 7, 24, 25, 26, 27, 28, 29, 30, 31];

/** Makes the registers of four complex numbers, of four real and four imaginary parts. */
export function interleaved(g: NodeGraph, dtype: DType, real: Lanes, imaginary: Lanes): Lanes {
  const orders = DTYPES[dtype].itemsize === 4 ? ALTERNATE_WORDS : ALTERNATE_HALVES;
  return real.flatMap((x, i) => orders.map((order) => g.shuffle(x, imaginary[i]!, order)));
}

const ALTERNATE_WORDS = [
  [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23],
  [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31],
];
const ALTERNATE_HALVES = [
  [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23],
  [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31],
];

/** Loads four elements at addresses of their own. */
export function loadEach(g: NodeGraph, dtype: DType, addresses: readonly [Node, Node, Node, Node]): Lanes {
  const { itemsize } = DTYPES[dtype];
  const bits = (itemsize * 8) as 8 | 16 | 32 | 64;
  const gather = (from: readonly Node[]): Node =>
    from
      .slice(1)
      .reduce<Node>(
        (vector, address, i) => g.load(`v128.load${bits}_lane`, address, 0, i + 1, vector),
        g.load(`v128.load${bits}_splat`, from[0] as Node),
      );
  const registers = bits === 64 ? [gather(addresses.slice(0, 2)), gather(addresses.slice(2))] : [gather(addresses)];
  return unpack(g, dtype, registers);
}

/** Loads one element four times. */
export function loadSplat(g: NodeGraph, dtype: DType, address: Node, offset = 0): Lanes {
  const bits = (DTYPES[dtype].itemsize * 8) as 8 | 16 | 32 | 64;
  const vector = g.load(`v128.load${bits}_splat`, address, offset);
  return unpack(g, dtype, bits === 64 ? [vector, vector] : [vector]);
}

function unpack(g: NodeGraph, dtype: DType, packed: Lanes): Lanes {
  const [x] = packed as readonly [Node];
  switch (dtype) {
    case "bool":
      return [g.op("i32x4.ne", bytesToInts(g, x, "u"), g.i32x4(0))];
    case "uint8":
    case "float8_e4m3fn":
    case "float8_e5m2":
      return [bytesToInts(g, x, "u")];
    case "int8":
      return [bytesToInts(g, x, "s")];
    case "int16":
      return [g.op("i32x4.extend_low_i16x8_s", x)];
    case "uint16":
    case "float16":
    case "bfloat16":
      return [g.op("i32x4.extend_low_i16x8_u", x)];
    default:
      return packed;
  }
}

function bytesToInts(g: NodeGraph, x: Node, sign: "s" | "u"): Node {
  return g.op(`i32x4.extend_low_i16x8_${sign}`, g.op(`i16x8.extend_low_i8x16_${sign}`, x));
}

const EVERY_FOURTH_BYTE = [0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12];
const EVERY_SECOND_SHORT = [0, 1, 4, 5, 8, 9, 12, 13, 0, 1, 4, 5, 8, 9, 12, 13];

/** Packs elements as they are in memory, in the low bytes of the registers. */
export function pack(g: NodeGraph, dtype: DType, lanes: Lanes): Lanes {
  const [x] = lanes as readonly [Node];
  if (dtype === "bool") return [g.shuffle(g.op("v128.and", x, g.i32x4(1)), g.i32x4(0), EVERY_FOURTH_BYTE)];
  const { itemsize } = DTYPES[dtype];
  if (itemsize === 1) return [g.shuffle(x, x, EVERY_FOURTH_BYTE)];
  return itemsize === 2 ? [g.shuffle(x, x, EVERY_SECOND_SHORT)] : lanes;
}

/**
 * A store instruction with the register that it stores, the lane for a partial store, and the offset from the address.
 */
export interface Store {
  readonly op: Instruction;
  readonly register: number;
  readonly lane?: number;
  readonly offset: number;
}

/** Returns the stores of all four elements, which are adjacent. */
export function storesUnit(dtype: DType, offset: number): readonly Store[] {
  switch (DTYPES[dtype].itemsize) {
    case 8:
      return [0, 1].map((register) => ({ op: "v128.store", register, offset: offset + 16 * register }));
    case 4:
      return [{ op: "v128.store", register: 0, offset }];
    case 2:
      return [{ op: "v128.store64_lane", register: 0, lane: 0, offset }];
    default:
      return [{ op: "v128.store32_lane", register: 0, lane: 0, offset }];
  }
}

/** Returns the store of element `n` alone. */
export function storeOne(dtype: DType, n: number): Store {
  const { itemsize } = DTYPES[dtype];
  const op: Instruction = `v128.store${(itemsize * 8) as 8 | 16 | 32 | 64}_lane`;
  return itemsize === 8 ? { op, register: n >> 1, lane: n & 1, offset: 0 } : { op, register: 0, lane: n, offset: 0 };
}
