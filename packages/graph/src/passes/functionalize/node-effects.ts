import { graphError } from "../../graph-errors.ts";
import type { Graph, Node, OpName } from "../../ir.ts";
import { splitOpName } from "../../op-name.ts";
import { describeNode } from "../../query/describe-node.ts";
import { argOf, usesOf, valuesOf } from "../../query/node-values.ts";
import { someNode } from "../../query/walk-graph.ts";
import { hiddenWrites } from "../hidden-writes.ts";
import { isMutatingName } from "../mutating-names.ts";
import type { EffectsOf, OpEffects } from "./effects.ts";
import { isOutVariant } from "./functional-names.ts";

const NONE: OpEffects = { mutates: [], aliases: [] };
/** In-place ops by their names, which have no effect in a program without gradients. */
const WRITES_NOTHING: ReadonlySet<OpName> = new Set(["aten::detach_", "aten::requires_grad_"]);
/** In these namespaces, nodes without results are checks. */
const KNOWN_NAMESPACES: ReadonlySet<string> = new Set(["aten", "prims", "higher_order"]);

/** Returns the effects of a node; omitted arguments are not written. */
export function nodeEffects(node: Node, effects: EffectsOf): OpEffects {
  const declared = effects(node.op);
  const hidden = hiddenWrites(node);
  if (hidden.length > 0 && !declared?.claimed) return { mutates: hidden, aliases: [] };
  const known = declared?.claimed ? claimedEffects(node, declared, hidden) : (declared ?? effectsByName(node));
  const mutates = known.mutates.filter((name) => valuesOf(argOf(node, name) ?? { kind: "none" }).length > 0);
  return mutates.length === known.mutates.length ? known : { ...known, mutates };
}

/** Returns whether a graph, or one nested in it, writes to a tensor. */
export function mutates(graph: Graph, effects: EffectsOf): boolean {
  return someNode(graph, (node) => nodeEffects(node, effects).mutates.length > 0 && !WRITES_NOTHING.has(node.op));
}

/** Returns the effects of an op that the user takes over: by its name where its writes are not declared. */
function claimedEffects(node: Node, declared: OpEffects, hidden: readonly string[]): OpEffects {
  if (!declared.opaque) return { ...declared, mutates: [...new Set([...declared.mutates, ...hidden])] };
  const named = effectsByName(node);
  return { ...declared, ...named, functional: node.op };
}

/** Infers effects of an undeclared op from PyTorch's naming of in-place ops. */
function effectsByName(node: Node): OpEffects {
  if (isMutatingName(node.op)) {
    const arg = isOutVariant(node.op) ? "out" : (node.args[0]?.name ?? "self");
    return { mutates: [arg], aliases: node.outputs.map((_, output) => ({ output, arg })) };
  }
  const { namespace } = splitOpName(node.op);
  const onlyEffects = node.outputs.length === 0 && !KNOWN_NAMESPACES.has(namespace) && usesOf(node).length > 0;
  if (!onlyEffects) return NONE;
  throw graphError("graph.mutation", {
    what: `${node.op} has no results, so it must write to an argument, but its schema is unknown`,
    where: describeNode(node),
    advice: "pass the operator's schema to `load` in an op set, with `(a!)` at the arguments it writes to",
  });
}
