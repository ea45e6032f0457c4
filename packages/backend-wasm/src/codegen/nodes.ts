import { signed, unsigned, type ValueType } from "./encoder.ts";
import type { Instruction } from "./opcodes.ts";

/**
 * How often a node's value changes: never, with the row (the loop over the innermost dimension), or with every step of
 * that loop. A node of a lower level than its user is computed before the loop and kept in a local.
 */
export type Level = 0 | 1 | 2;

/** A pure instruction over other nodes. Equal nodes are one object, so common subexpressions are computed once. */
export interface Node {
  readonly id: number;
  /** `call` is a call of a helper; `any` is `args[0] ? helper(args[2], …) : args[1]`, for rare slow paths. */
  readonly op: Instruction | "call" | "any";
  readonly type: ValueType;
  readonly level: Level;
  readonly args: readonly Node[];
  readonly immediates: readonly number[];
  /** Name of the helper function. */
  readonly callee?: string;
}

/** Makes nodes. */
export interface NodeGraph {
  op(op: Instruction, ...args: readonly Node[]): Node;
  /** Makes an instruction with a lane index or other immediate bytes. */
  lane(op: Instruction, lane: number, ...args: readonly Node[]): Node;
  load(op: Instruction, address: Node, offset?: number, lane?: number, into?: Node): Node;
  local(index: number, type: ValueType, level: Level): Node;
  call(callee: string, type: ValueType, ...args: readonly Node[]): Node;
  /** Makes `helper(…operands)` where `condition` is not zero, else `otherwise`. */
  any(condition: Node, otherwise: Node, callee: string, ...operands: readonly Node[]): Node;
  i32(value: number): Node;
  /** Makes a constant vector with equal lanes. */
  f32x4(value: number): Node;
  f64x2(value: number): Node;
  i32x4(value: number): Node;
  i64x2(value: bigint): Node;
  /** Picks bytes of two vectors. */
  shuffle(x: Node, y: Node, bytes: readonly number[]): Node;
}

/** Creates an empty graph. */
export function nodeGraph(): NodeGraph {
  const known = new Map<string, Node>();
  const make = (
    op: Node["op"],
    type: ValueType,
    args: readonly Node[],
    immediates: readonly number[],
    callee?: string,
    level: Level = Math.max(0, ...args.map((arg) => arg.level)) as Level,
  ): Node => {
    const key = `${op} ${callee ?? ""} ${immediates} (${args.map(({ id }) => id)}) ${level}`;
    const node = known.get(key) ?? {
      id: known.size,
      op,
      type,
      level,
      args,
      immediates,
      ...(callee === undefined ? {} : { callee }),
    };
    known.set(key, node);
    return node;
  };
  const constant = (width: 4 | 8, set: (view: DataView, at: number) => void): Node => {
    const view = new DataView(new ArrayBuffer(16));
    for (let at = 0; at < 16; at += width) set(view, at);
    return make("v128.const", "v128", [], [...new Uint8Array(view.buffer)]);
  };
  return {
    op: (op, ...args) => make(op, resultType(op), args, []),
    lane: (op, lane, ...args) => make(op, resultType(op), args, [lane]),
    load(op, address, offset = 0, lane, into) {
      // The alignment is a hint; operands may be at any address.
      const immediates = [0, ...unsigned(offset), ...(lane === undefined ? [] : [lane])];
      return make(op, resultType(op), into ? [address, into] : [address], immediates);
    },
    local: (index, type, level) => make("local.get", type, [], unsigned(index), undefined, level),
    call: (callee, type, ...args) => make("call", type, args, [], callee),
    any: (condition, otherwise, callee, ...operands) =>
      make("any", otherwise.type, [condition, otherwise, ...operands], [], callee),
    i32: (value) => make("i32.const", "i32", [], signed(value)),
    f32x4: (value) => constant(4, (view, at) => view.setFloat32(at, value, true)),
    f64x2: (value) => constant(8, (view, at) => view.setFloat64(at, value, true)),
    i32x4: (value) => constant(4, (view, at) => view.setInt32(at, value, true)),
    i64x2: (value) => constant(8, (view, at) => view.setBigInt64(at, value, true)),
    shuffle: (x, y, bytes) => make("i8x16.shuffle", "v128", [x, y], bytes),
  };
}

const SCALAR: readonly string[] = ["i32", "i64", "f32", "f64"];

function resultType(op: Instruction): ValueType {
  const [shape, name] = op.split(".") as [string, string];
  if (op === "v128.any_true" || op === "i64.eqz" || op === "i64.eq") return "i32";
  if (SCALAR.includes(shape)) return shape as ValueType;
  return name === "extract_lane" ? (shape.slice(0, 3) as ValueType) : "v128";
}
