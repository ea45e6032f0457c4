import { graphError } from "../../graph-errors.ts";
import type { Arg, Node } from "../../ir.ts";
import { describeNode } from "../../query/describe-node.ts";
import { argOf } from "../../query/node-values.ts";
import type { GraphBuilder } from "../graph-builder.ts";
import { resolve, type TensorTable } from "./tensor-table.ts";

const ARGS = ["input", "weight", "bias", "running_mean", "running_var", "training", "momentum", "eps"];
/** What the ops that are named after libraries call some of these. */
const OTHER_NAMES: Readonly<Record<string, string>> = { momentum: "exponential_average_factor", eps: "epsilon" };

type Call = Pick<Node, "op" | "args">;
const int = (value: number): Arg => ({ kind: "int", value });
const NO_NUMBER: Call = { op: "_operator::pos", args: [{ name: "a", arg: int(0) }] };
const NO_MEMORY: Call = {
  op: "aten::full",
  args: [
    { name: "size", arg: { kind: "list", items: [int(0)] } },
    { name: "fill_value", arg: int(0) },
    { name: "dtype", arg: { kind: "dtype", value: "uint8" } },
  ],
};

/**
 * Rewrites a batch normalization in training to _native_batch_norm_legit_functional, which returns (y, save_mean,
 * save_invstd, mean', var'), and writes mean', var' to the running statistics. What some ops return besides, memory for
 * the gradients of a library and its number, is nothing.
 */
export function functionalBatchNorm(node: Node, builder: GraphBuilder, tensors: TensorTable): void {
  const statistics = ["running_mean", "running_var"].map((name) => {
    const arg = argOf(node, name);
    const tensor = arg?.kind === "value" ? tensors.get(arg.name) : undefined;
    if (tensor !== undefined) return tensor;
    throw graphError("graph.mutation", { what: `${node.op} trains without \`${name}\``, where: describeNode(node) });
  });
  const resolved = resolve(node, (name) => tensors.read(name));
  const none: Arg = { kind: "none" };
  const args = ARGS.map((name) => ({
    name,
    arg: argOf(resolved, name) ?? argOf(resolved, OTHER_NAMES[name] ?? "") ?? none,
  }));
  const type = tensors.typeOf(statistics[0]!);
  const extra = (name: string): string => {
    const fresh = builder.fresh(name);
    builder.setType(fresh, type);
    return fresh;
  };
  const given = node.outputs.slice(0, 3).map((output) => (output.kind === "value" ? output.name : extra("unused")));
  const saved = ["save_mean", "save_invstd"].slice(given.length - 1).map(extra);
  const updated = ["running_mean", "running_var"].map(extra);
  builder.push({
    ...resolved,
    op: "aten::_native_batch_norm_legit_functional",
    args,
    outputs: [...given, ...saved, ...updated].map((name) => ({ kind: "value", name })),
  });
  for (const name of [...given, ...saved]) tensors.allocate(name);
  for (const output of node.outputs.slice(3)) {
    if (output.kind !== "value") continue;
    const isTensor = builder.typeOf(output.name)?.kind === "tensor";
    const [name, { origin }] = [builder.fresh("unused"), node];
    builder.push({ name, ...(isTensor ? NO_MEMORY : NO_NUMBER), outputs: [output], origin });
    if (isTensor) tensors.allocate(output.name);
  }
  for (const [i, tensor] of statistics.entries()) tensors.write(tensor, updated[i]!, node);
}
