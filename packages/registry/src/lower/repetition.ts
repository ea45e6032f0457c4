import type { Arg, Node } from "@pt2/graph";
import type { OpRegistry } from "../op-registry.ts";
import type { ArgValue } from "../tensor-meta.ts";
import type { Environment } from "./arguments.ts";
import type { Call, LoweredNode, LoweredNodes } from "./call.ts";
import { isTensor, type LoweredTensor, tensorsIn } from "./lowered-tensor.ts";
import { isRuntimeScalar } from "./runtime-scalar.ts";

/** The calls and the results of a node. */
type Lowered = Pick<LoweredNode, "calls" | "results">;

/**
 * Lowers a graph again for other inputs: tells which nodes read a value that differs. What a node comes to depends on
 * nothing else.
 */
export class Repetition {
  readonly #before: LoweredNodes;
  /** Whether a node has to be lowered again, by its position. */
  readonly #differs: Uint8Array;

  constructor(before: LoweredNodes, inputs: Environment, registry: OpRegistry) {
    this.#before = before;
    // Functions of users may answer differently, and are checked against symbolic sizes.
    const isUsers = ({ op }: Node) => registry.userSetOf(op) !== undefined || registry.handlerOf(op) !== undefined;
    this.#differs = Uint8Array.from(before.nodes, ({ node }) => (isUsers(node) ? 1 : 0));
    for (const [name, value] of inputs) this.#compare(name, value);
  }

  /** Whether the node at a position may come to something else than before: it reads a value that differs. */
  differs(at: number): boolean {
    return this.#differs[at] === 1;
  }

  /** Compares the values of a node that was lowered again with those of before. */
  note({ outputs }: Node, env: Environment): void {
    for (const output of outputs) {
      if (output.kind === "none") continue;
      for (const name of output.kind === "value" ? [output.name] : output.names) {
        this.#compare(name, env.get(name) ?? null);
      }
    }
  }

  /**
   * Returns results and calls of a node that was lowered again, in which results of the same type as before are the
   * tensors of before: nodes that read only these need not be lowered again.
   */
  adopt(known: LoweredNode, { calls, results }: Lowered): Lowered {
    const kept = keptTensors({ calls, results }, known);
    if (kept.size === 0) return { calls, results };
    const real = (value: ArgValue): ArgValue => {
      if (Array.isArray(value)) return (value as readonly ArgValue[]).map(real);
      return kept.get(value as LoweredTensor) ?? value;
    };
    return {
      results: results.map(real),
      calls: calls.map((call) => ({
        ...call,
        args: Object.fromEntries(Object.entries(call.args).map(([name, value]) => [name, real(value)])),
        results: call.results.map(real),
        ...(call.scalar && {
          scalar: { ...call.scalar, operands: call.scalar.operands.map((tensor) => kept.get(tensor) ?? tensor) },
        }),
      })),
    };
  }

  #compare(name: string, value: ArgValue): void {
    if (isSame(value, this.#before.env.get(name))) return;
    for (const at of this.#before.readers.get(name) ?? []) this.#differs[at] = 1;
  }
}

/** Returns the tensors of before for new ones of the same type. Only what the node itself made is exchanged. */
function keptTensors(now: Lowered, before: Lowered): ReadonlyMap<LoweredTensor, LoweredTensor> {
  const kept = new Map<LoweredTensor, LoweredTensor>();
  const [first, firstBefore] = [now.results[0], before.results[0]];
  // Most nodes have one result.
  if (now.results.length === 1 && isTensor(first) && isTensor(firstBefore) && !isAlike(first, firstBefore)) return kept;
  const [tensors, tensorsBefore] = [now.results.flatMap(tensorsIn), before.results.flatMap(tensorsIn)];
  if (tensors.length !== tensorsBefore.length || !tensors.some((tensor, i) => isAlike(tensor, tensorsBefore[i]!))) {
    return kept;
  }
  const made = (calls: readonly Call[]) => new Set(calls.flatMap((call) => call.results.flatMap(tensorsIn)));
  const [own, ownBefore] = [made(now.calls), made(before.calls)];
  const given = new Set<LoweredTensor>();
  for (const [i, tensor] of tensors.entries()) {
    const earlier = tensorsBefore[i]!;
    if (!own.has(tensor) || !ownBefore.has(earlier) || !isAlike(tensor, earlier)) continue;
    if (kept.has(tensor) || given.has(earlier)) continue;
    kept.set(tensor, earlier);
    given.add(earlier);
  }
  return kept;
}

function isAlike(a: LoweredTensor, b: LoweredTensor): boolean {
  return a.dtype === b.dtype && a.shape.length === b.shape.length && a.shape.every((size, i) => size === b.shape[i]);
}

/** Whether two values are the same to the rules of ops. A number that each run sets is never the same. */
function isSame(a: ArgValue, b: ArgValue | undefined): boolean {
  if (isRuntimeScalar(a) || isRuntimeScalar(b)) return false;
  if (Array.isArray(a)) {
    const items = a as readonly ArgValue[];
    return Array.isArray(b) && b.length === items.length && items.every((item, i) => isSame(item, b[i] as ArgValue));
  }
  if (typeof a === "object" && a !== null && !isTensor(a) && typeof b === "object" && b !== null && !isTensor(b)) {
    return "float" in a && "float" in b && Object.is(a.float, b.float);
  }
  return Object.is(a, b);
}

/** Returns which nodes read a name, by their positions. */
export function readersIn(nodes: readonly LoweredNode[]): ReadonlyMap<string, readonly number[]> {
  const readers = new Map<string, number[]>();
  for (const [at, { node }] of nodes.entries()) {
    for (const name of namesIn(node)) {
      const others = readers.get(name);
      if (others === undefined) readers.set(name, [at]);
      else others.push(at);
    }
  }
  return readers;
}

function namesIn({ args }: Node): readonly string[] {
  const names: string[] = [];
  const visit = (arg: Arg): void => {
    if (arg.kind === "value") names.push(arg.name);
    else if (arg.kind === "list") arg.items.forEach(visit);
  };
  for (const { arg } of args) visit(arg);
  return names;
}
