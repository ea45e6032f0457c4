import type { Capabilities } from "@pt2/backend";
import type { Node, Program } from "@pt2/graph";
import {
  eliminateDeadCode,
  expandAutocast,
  expandVmap,
  foldSymbolicArithmetic,
  functionalize,
  removeNoOps,
} from "@pt2/graph/passes";
import type { OpRegistry } from "@pt2/registry";

type Mutation = Pick<Capabilities, "mutation">;

/**
 * The first of the passes, which need no registry: wrappers opened, what computes nothing removed. Copies stay for a
 * backend that runs mutation, as the program may write to what they were made of.
 */
export function tidy(imported: Program, { mutation = false }: Mutation = {}): Program {
  return removeNoOps(expandVmap(expandAutocast(imported)), { keepCopies: mutation });
}

/** The rest of the passes, over a tidy program: functional, unless the backend says that it runs mutation as it is. */
export function complete(tidied: Program, registry: OpRegistry, { mutation = false }: Mutation = {}): Program {
  let program = mutation ? tidied : functionalize(tidied, registry.effectsOf);
  program = foldSymbolicArithmetic(program);
  program = eliminateDeadCode(program, { isPure: (node) => isPure(node, registry) });
  return program;
}

/** The passes between a file and a backend, in their order. */
export function prepare(imported: Program, registry: OpRegistry, capabilities: Mutation = {}): Program {
  return complete(tidy(imported, capabilities), registry, capabilities);
}

/** Checks return nothing, so nothing uses them: they stay, and so does what writes to an argument or has no record. */
function isPure(node: Node, registry: OpRegistry): boolean {
  const record = registry.resolve(node.op);
  if (record === undefined || record.impure === true) return false;
  return record.schema.returns.length > 0 && registry.effectsOf(node.op)?.mutates.length === 0;
}
