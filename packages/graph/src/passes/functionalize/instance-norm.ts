import { graphError } from "../../graph-errors.ts";
import type { Arg, NamedArg, Node, OpName, TensorType } from "../../ir.ts";
import { describeNode } from "../../query/describe-node.ts";
import { argOf } from "../../query/node-values.ts";
import type { GraphBuilder } from "../graph-builder.ts";
import { resolve, type TensorTable } from "./tensor-table.ts";

const STATISTICS: readonly string[] = ["running_mean", "running_var"];
const value = (name: string): Arg => ({ kind: "value", name });
const int = (number: number): Arg => ({ kind: "int", value: number });

/**
 * Rewrites instance_norm(use_input_stats=True), which normalizes with the statistics of each example and channel, and
 * moves the running statistics towards their mean over the examples.
 */
export function functionalInstanceNorm(node: Node, builder: GraphBuilder, tensors: TensorTable): void {
  const resolved = resolve(node, (name) => tensors.read(name));
  const input = argOf(resolved, "input");
  const type = input?.kind === "value" ? builder.typeOf(input.name) : undefined;
  if (input?.kind !== "value" || type?.kind !== "tensor") {
    throw graphError("graph.mutation", {
      what: `${node.op} trains on a tensor of unknown shape`,
      where: describeNode(node),
    });
  }
  const emit = (op: OpName, args: readonly NamedArg[], results: readonly (readonly [string, TensorType])[]) =>
    builder.emit({ op, args, results: results.map(([name, of]) => ({ name, type: of })), origin: node.origin });
  const space = type.shape.map((_, d) => d).slice(2);
  const each = sized(type, 2);
  const [variances, means] = emit(
    "aten::var_mean.correction",
    [
      { name: "self", arg: input },
      { name: "dim", arg: { kind: "list", items: space.map(int) } },
      { name: "correction", arg: int(1) },
    ],
    [
      ["variance", each],
      ["mean", each],
    ],
  );
  const updates = STATISTICS.map((name, i) => {
    const arg = argOf(node, name);
    const running = arg?.kind === "value" ? tensors.get(arg.name) : undefined;
    const runningType = running === undefined ? undefined : tensors.typeOf(running);
    if (running === undefined || runningType?.kind !== "tensor") {
      throw graphError("graph.mutation", { what: `${node.op} trains without \`${name}\``, where: describeNode(node) });
    }
    const over: readonly NamedArg[] = [
      { name: "self", arg: value([means, variances][i]!) },
      { name: "dim", arg: { kind: "list", items: [int(0)] } },
      { name: "dtype", arg: { kind: "dtype", value: runningType.dtype } },
    ];
    const [mean] = emit("aten::mean.dim", over, [["mean", runningType]]);
    const [moved] = emit(
      "aten::lerp.Scalar",
      [
        { name: "self", arg: value(tensors.current(running)) },
        { name: "end", arg: value(mean!) },
        { name: "weight", arg: argOf(node, "momentum") ?? { kind: "float", value: 0.1 } },
      ],
      [[name, runningType]],
    );
    return [running, moved!] as const;
  });
  const args = resolved.args.map(({ name, arg }) => ({
    name,
    arg: STATISTICS.includes(name) ? ({ kind: "none" } as const) : arg,
  }));
  builder.push({ ...resolved, args });
  for (const output of node.outputs) if (output.kind === "value") tensors.allocate(output.name);
  for (const [running, moved] of updates) tensors.write(running, moved, node);
}

function sized(type: TensorType, rank: number): TensorType {
  const shape = type.shape.slice(0, rank);
  return { ...type, shape, strides: shape.map((_, d) => (d === rank - 1 ? 1 : shape[rank - 1]!)), storageOffset: 0 };
}
