import { control, instruction, unsigned, type ValueType } from "./encoder.ts";
import type { Node } from "./nodes.ts";
import type { Instruction } from "./opcodes.ts";

/** Writes a function: plain instructions, and nodes with their shared values kept in locals. */
export interface Emitter {
  readonly code: readonly number[];
  readonly locals: readonly (readonly [count: number, type: ValueType])[];
  newLocal(type: ValueType): number;
  raw(bytes: readonly number[]): void;
  op(name: Instruction, ...immediates: readonly number[]): void;
  get(local: number): void;
  set(local: number): void;
  /** Computes the nodes of a level below `level` that `roots` need, into locals that stay valid from here on. */
  hoist(roots: readonly Node[], level: 1 | 2): void;
  /** Starts code in which no value of the innermost level is computed yet; `roots` are what it will `push`. */
  region(roots: readonly Node[]): void;
  /** Leaves the node's value on the stack. */
  push(node: Node): void;
  /** Computes the node now, so that a later `push` only reads a local. */
  keep(node: Node): void;
}

/**
 * Creates an emitter of a function with `parameters` parameters. `callee` returns the index of a helper function by
 * name.
 */
export function emitter(parameters: number, callee: (name: string) => number): Emitter {
  const code: number[] = [];
  const types: ValueType[] = [];
  /** The locals of values: those of hoisted ones stay valid, the others until the next region. */
  const hoisted = new Map<Node, number>();
  let current = new Map<Node, number>();
  let uses = new Map<Node, number>();

  const newLocal = (type: ValueType): number => parameters + types.push(type) - 1;
  const raw = (bytes: readonly number[]): void => {
    for (const byte of bytes) code.push(byte);
  };
  const op = (name: Instruction, ...immediates: readonly number[]): void => raw(instruction(name, immediates));
  const get = (local: number): void => op("local.get", ...unsigned(local));
  const set = (local: number): void => op("local.set", ...unsigned(local));

  const compute = (node: Node): void => {
    if (node.op === "any") {
      const [condition, otherwise, ...operands] = node.args as readonly [Node, Node, ...Node[]];
      operands.forEach(keep);
      keep(otherwise);
      push(condition);
      raw(control.ifValue(node.type));
      operands.forEach(push);
      raw(control.call(callee(node.callee as string)));
      raw(control.else);
      push(otherwise);
      raw(control.end);
      return;
    }
    for (const arg of node.args) push(arg);
    if (node.op === "call") raw(control.call(callee(node.callee as string)));
    else raw(instruction(node.op, node.immediates));
  };

  const push = (node: Node): void => {
    const local = hoisted.get(node) ?? current.get(node);
    if (local !== undefined) {
      get(local);
      return;
    }
    compute(node);
    if (trivial(node) || (uses.get(node) ?? 0) < 2) return;
    const kept = newLocal(node.type);
    current.set(node, kept);
    op("local.tee", ...unsigned(kept));
  };

  const keep = (node: Node): void => {
    if (trivial(node) || hoisted.has(node) || current.has(node)) return;
    compute(node);
    const kept = newLocal(node.type);
    current.set(node, kept);
    set(kept);
  };

  return {
    code,
    get locals() {
      return types.map((type) => [1, type] as const);
    },
    newLocal,
    raw,
    op,
    get,
    set,
    push,
    keep,
    hoist(roots, level) {
      uses = countUses(roots);
      current = new Map();
      const wanted = new Set(roots);
      for (const user of uses.keys()) if (user.level >= level) for (const arg of user.args) wanted.add(arg);
      for (const node of uses.keys()) {
        if (node.level >= level || trivial(node) || hoisted.has(node) || !wanted.has(node)) continue;
        compute(node);
        const local = newLocal(node.type);
        hoisted.set(node, local);
        set(local);
      }
    },
    region(roots) {
      uses = countUses(roots);
      current = new Map();
    },
  };
}

/** It is cheaper to repeat these than to keep them. */
const trivial = (node: Node): boolean => node.op === "local.get" || node.op === "i32.const";

/** Counts how often each node below the roots is an operand, operands before their users. */
function countUses(roots: readonly Node[]): Map<Node, number> {
  const uses = new Map<Node, number>();
  const visit = (node: Node): void => {
    if (uses.has(node)) return;
    for (const arg of node.args) visit(arg);
    uses.set(node, 0);
  };
  roots.forEach(visit);
  for (const node of [...uses.keys()]) for (const arg of node.args) uses.set(arg, (uses.get(arg) ?? 0) + 1);
  for (const root of roots) uses.set(root, (uses.get(root) ?? 0) + 1);
  return uses;
}
