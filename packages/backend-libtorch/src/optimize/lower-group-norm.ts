import {
  given,
  intArg,
  isSameSize,
  isTrue,
  NONE,
  numberOf,
  type RewriteContext,
  type RewriteRule,
  resultType,
  rewrite,
} from "@pt2/engine/rewrites";
import { type Arg, argOf, type Node, type Program, type SymInt } from "@pt2/graph";
import { foreignLayouts, isChannelsLastSource } from "./restore-layouts.ts";
import type { OptimizeTarget } from "./target.ts";

/**
 * Lowers group normalizations, and instance normalizations, whose groups have one channel, of what may have its channels
 * last where the file says otherwise. For that order ATen's kernel of the former takes the variance as a difference of
 * squares, which cancels where the mean is large, and that of the latter copies what it reads.
 */
export function lowerGroupNorms(program: Program, target: OptimizeTarget): Program {
  if (!target.has("pt2::group_norm")) return program;
  // Most programs have no group norm to ask it for.
  let foreign: ReadonlySet<string> | undefined;
  const rule: RewriteRule = (node, context) => {
    const x = argOf(node, "input");
    if (x?.kind !== "value" || context.tensor(x)?.dtype !== "float32") return null;
    foreign ??= foreignLayouts(program, target);
    // What this pass made before is not among the names of the program.
    if (!foreign.has(x.name) && !isChannelsLastSource(context.definition(x)?.op ?? "")) return null;
    const groups = groupsOf(node, program, context);
    const [weight, bias] = [given(node, "weight"), given(node, "bias")];
    if ([weight, bias].some((arg) => arg !== undefined && context.tensor(arg)?.dtype !== "float32")) return null;
    if (groups === null) return null;
    const eps = argOf(node, "eps") ?? { kind: "float", value: 1e-5 };
    const args = { x, groups, weight: weight ?? NONE, bias: bias ?? NONE, eps };
    return context.emit("pt2::group_norm", args, resultType(node, context), node);
  };
  const ops = ["aten::group_norm", "aten::native_group_norm", "aten::instance_norm"];
  return rewrite(program, new Map(ops.map((op) => [op, rule])), target);
}

/** Returns the groups of a node's sequences, images or videos; null where PyTorch refuses them, or takes what else it is told. */
function groupsOf(node: Node, program: Program, context: RewriteContext): Arg | null {
  const [batch, channels, ...sizes] = context.tensor(argOf(node, "input"))?.shape ?? [];
  const groups = node.op === "aten::instance_norm" ? ownGroups(node, channels) : numberOfGroups(node);
  const count = numberOf(groups) ?? 0;
  if (groups === undefined || count <= 0 || sizes.length < 1 || sizes.length > 3) return null;
  if (typeof channels === "number" && channels % count !== 0) return null;
  if (node.op !== "aten::native_group_norm") return groups;
  // With other sizes than those of its input, it normalizes other parts of its memory.
  const [n, c] = [argOf(node, "N"), argOf(node, "C")];
  const isSame = batch !== undefined && isSize(n, batch, program) && typeof channels === "number";
  return isSame && numberOf(c) === channels ? groups : null;
}

function numberOfGroups(node: Node): Arg | undefined {
  return argOf(node, "num_groups") ?? argOf(node, "group");
}

/** A group for each channel, where a normalization keeps no statistics between runs. */
function ownGroups(node: Node, channels: SymInt | undefined): Arg | undefined {
  const keeps = given(node, "running_mean") !== undefined || given(node, "running_var") !== undefined;
  return !keeps && isTrue(argOf(node, "use_input_stats")) && typeof channels === "number"
    ? intArg(channels)
    : undefined;
}

/** Whether an argument is a size, or has the expression that PyTorch recorded of it. */
function isSize(arg: Arg | undefined, size: SymInt, program: Program): boolean {
  if (arg?.kind !== "value") return numberOf(arg) === size;
  const type = program.graph.values.get(arg.name);
  return type?.kind === "symint" && isSameSize(type.value ?? undefined, size);
}
