import { type Graph, type Node, type Program, type TensorType, usesOf, walk } from "@pt2/graph";
import { type ArgValue, argValue, describeNode, Emitter, type OpRecord, type OpRegistry } from "@pt2/registry";
import { inPlaceProblem } from "@pt2/registry/on-demand";
import { libtorchError } from "../libtorch-errors.ts";

/**
 * Refuses in-place calls whose result does not fit what they write to, as PyTorch does when it runs them: the passes of
 * precision `fast` make them functional, and their functional forms compute whatever fits together. Shapes that are not
 * known before a run are left to the sizes of the program's inputs, which PyTorch checked when it exported.
 */
export async function requireWritable(program: Program, registry: OpRegistry): Promise<void> {
  const writing: { readonly node: Node; readonly graph: Graph; readonly record: OpRecord }[] = [];
  walk(program.graph, (node, graph) => {
    const inPlace = registry.resolve(node.op);
    if (inPlace?.functional === undefined || inPlace.schema.args[0]?.alias?.write !== true) return;
    const record = registry.resolve(inPlace.functional);
    // An in-place view changes what the tensor is, not what it holds.
    if (record !== undefined && record.view === undefined) writing.push({ node, graph, record });
  });
  for (const { node, graph, record } of writing) {
    const problem = await problemOf(node, graph, record, registry);
    if (problem === null) continue;
    throw libtorchError("libtorch.argument", {
      what: `${node.op}: ${problem}`,
      where: describeNode(node),
      advice: "Check the argument against the op's schema; a program that has it was damaged or made by hand.",
    });
  }
}

async function problemOf(node: Node, graph: Graph, record: OpRecord, registry: OpRegistry): Promise<string | null> {
  const env = new Map<string, ArgValue>();
  for (const name of usesOf(node)) {
    const type = graph.values.get(name);
    const shape = type?.kind === "tensor" ? literalShape(type) : null;
    if (type?.kind !== "tensor" || shape === null) return null;
    env.set(name, { dtype: type.dtype, shape });
  }
  const args = Object.fromEntries(node.args.map(({ name, arg }) => [name, argValue(arg, env, node)]));
  const { self, ...rest } = args;
  const [first] = record.schema.args;
  try {
    const emitter = new Emitter(registry, { name: "inference", isNative: () => true });
    const results = await emitter.lower(record.name, { [first!.name]: self!, ...rest }, node);
    return inPlaceProblem(results[0], self, record, args.dtype);
  } catch {
    // A call that shape inference refuses fails in PyTorch too, when it runs.
    return null;
  }
}

function literalShape({ shape }: TensorType): readonly number[] | null {
  return shape.every((size) => typeof size === "number") ? (shape as readonly number[]) : null;
}
