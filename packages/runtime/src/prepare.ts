import type { Node, Program } from "@pt2/graph";
import {
  eliminateDeadCode,
  expandAutocast,
  foldSymbolicArithmetic,
  functionalize,
  removeNoOps,
} from "@pt2/graph/passes";
import type { OpRegistry } from "@pt2/registry";

/** The passes between a file and a backend, in their order: what every backend compiles is functional and tidy. */
export function prepare(imported: Program, registry: OpRegistry): Program {
  let program = removeNoOps(expandAutocast(imported));
  program = functionalize(program, registry.effectsOf);
  program = foldSymbolicArithmetic(program);
  program = eliminateDeadCode(program, { isPure: (node) => isPure(node, registry) });
  return program;
}

/** Checks return nothing, so nothing uses them: they stay. */
function isPure(node: Node, registry: OpRegistry): boolean {
  const record = registry.resolve(node.op);
  if (record === undefined || record.impure === true) return false;
  return record.schema.returns.length > 0 && registry.effectsOf(node.op)?.mutates.length === 0;
}
