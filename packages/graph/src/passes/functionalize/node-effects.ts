import { graphError } from "../../graph-errors.ts";
import type { Graph, Node, OpName } from "../../ir.ts";
import { splitOpName } from "../../op-name.ts";
import { argOf, graphsOf, usesOf, valuesOf } from "../../query/args.ts";
import { describeNode } from "../../query/describe.ts";
import { isMutatingName, TRAINING_NORMS } from "../mutating-names.ts";
import { NO_OP_RULES } from "../no-op-rules.ts";
import type { EffectsOf, OpEffects } from "./effects.ts";
import { IN_PLACE_VIEWS, isOutVariant } from "./functional-names.ts";

const NONE: OpEffects = { mutates: [], aliases: [] };
const RUNNING_STATISTICS: OpEffects = { mutates: ["running_mean", "running_var"], aliases: [] };
/** Here nodes without results are checks. */
const KNOWN_NAMESPACES: ReadonlySet<string> = new Set(["aten", "prims", "higher_order"]);
const INSTANCE_NORM: OpName = "aten::instance_norm";

/** Effects of a node with its arguments: written arguments that were not given do not count. */
export function nodeEffects(node: Node, effects: EffectsOf): OpEffects {
  const told = effects(node.op);
  const hidden = hiddenEffects(node);
  if (hidden !== null && !told?.claimed) return hidden;
  const known = told?.claimed ? claimedEffects(node, told, hidden ?? NONE) : (told ?? effectsByName(node));
  const mutates = known.mutates.filter((name) => valuesOf(argOf(node, name) ?? { kind: "none" }).length > 0);
  return mutates.length === known.mutates.length ? known : { ...known, mutates };
}

/** Whether a graph, or one nested in it, writes to a tensor. */
export function mutates(graph: Graph, effects: EffectsOf): boolean {
  return graph.nodes.some((node) => {
    if (graphsOf(node).some((nested) => mutates(nested.graph, effects))) return true;
    // `detach_` and its like change nothing that a program without gradients can see.
    return nodeEffects(node, effects).mutates.length > 0 && (!NO_OP_RULES.has(node.op) || IN_PLACE_VIEWS.has(node.op));
  });
}

/** For operators that somebody runs himself: by their name where nothing else tells what they write. */
function claimedEffects(node: Node, told: OpEffects, hidden: OpEffects): OpEffects {
  if (!told.opaque) return { ...told, mutates: [...new Set([...told.mutates, ...hidden.mutates])] };
  const named = effectsByName(node);
  return { ...told, ...named, functional: node.op };
}

/** For operators that nobody described: PyTorch's naming says which are in place. */
function effectsByName(node: Node): OpEffects {
  if (isMutatingName(node.op)) {
    const arg = isOutVariant(node.op) ? "out" : (node.args[0]?.name ?? "self");
    return { mutates: [arg], aliases: node.outputs.map((_, output) => ({ output, arg })) };
  }
  const { namespace } = splitOpName(node.op);
  const onlyEffects = node.outputs.length === 0 && !KNOWN_NAMESPACES.has(namespace) && usesOf(node).length > 0;
  if (!onlyEffects) return NONE;
  throw graphError("graph.mutation", {
    what: `${node.op} has no results, so it must write to something, and nothing says to what`,
    where: describeNode(node),
    advice: "give the operator's schema to `load` in an op set, with `(a!)` at the arguments it writes to",
  });
}

/** Normalisations write to their running statistics when they train, whatever the schema says. */
function hiddenEffects(node: Node): OpEffects | null {
  if (!TRAINING_NORMS.has(node.op) && node.op !== INSTANCE_NORM) return null;
  const training = argOf(node, node.op === INSTANCE_NORM ? "use_input_stats" : "training");
  const updates = training?.kind === "bool" && training.value && argOf(node, "running_mean")?.kind === "value";
  return updates ? RUNNING_STATISTICS : NONE;
}
