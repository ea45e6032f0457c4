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

/**
 * The passes between a file and a backend, in their order: what a backend compiles is tidy, and functional unless it
 * says that it runs mutation as it is. Then copies stay too, as the program may write to what they were made of.
 */
export function prepare(
  imported: Program,
  registry: OpRegistry,
  { mutation = false }: Pick<Capabilities, "mutation"> = {},
): Program {
  let program = removeNoOps(expandVmap(expandAutocast(imported)), { keepCopies: mutation });
  if (!mutation) program = functionalize(program, registry.effectsOf);
  program = foldSymbolicArithmetic(program);
  program = eliminateDeadCode(program, { isPure: (node) => isPure(node, registry) });
  return program;
}

/** Checks return nothing, so nothing uses them: they stay, and so does what writes to an argument or has no record. */
function isPure(node: Node, registry: OpRegistry): boolean {
  const record = registry.resolve(node.op);
  if (record === undefined || record.impure === true) return false;
  return record.schema.returns.length > 0 && registry.effectsOf(node.op)?.mutates.length === 0;
}
