import type { DType } from "@pt2/format";
import { definitionsOf, type NamedArg, type Node, type OpName, type Program, usesOf } from "@pt2/graph";
import { foreignLayouts } from "./restore-layouts.ts";
import type { OptimizeTarget } from "./target.ts";

/** A kernel of this package that has the arguments and the results of an op, whatever these are. */
interface DropIn {
  readonly kernel: OpName;
  /** Whether it takes less time for tensors of these dtypes. */
  takes(dtypes: readonly DType[]): boolean;
}

const all =
  (...taken: readonly DType[]): DropIn["takes"] =>
  (dtypes) =>
    taken.some((one) => dtypes.every((dtype) => dtype === one));

const CAT: OpName = "aten::cat";
/** Of what lies in memory in an order that the file does not say. */
const ANY_ORDER: NamedArg = { name: "any_order", arg: { kind: "bool", value: true } };

const DROP_INS: Readonly<Record<OpName, DropIn>> = {
  [CAT]: { kernel: "pt2::cat", takes: all("float32", "float16", "bfloat16") },
  "aten::contiguous": { kernel: "pt2::contiguous", takes: all("float32") },
  "aten::index.Tensor": { kernel: "pt2::index", takes: ([, ...tables]) => all("int64")(tables) },
  "aten::topk": { kernel: "pt2::topk", takes: all("float32") },
};

/** Lowers ops to kernels of this package where these differ in nothing but time. */
export function lowerDropIns(program: Program, target: OptimizeTarget): Program {
  const { graph } = program;
  const kernelFor = (node: Node): OpName | null => {
    const found = DROP_INS[node.op];
    if (found === undefined || !target.has(found.kernel) || target.isClaimed(node.op)) return null;
    const types = usesOf(node).map((name) => graph.values.get(name));
    const dtypes = types.flatMap((type) => (type?.kind === "tensor" ? [type.dtype] : []));
    return dtypes.length > 0 && found.takes(dtypes) ? found.kernel : null;
  };
  const kernels = graph.nodes.map(kernelFor);
  if (kernels.every((kernel) => kernel === null)) return program;
  const foreign = foreignLayouts(program, target);
  const nodes = graph.nodes.map((node, i): Node => {
    const kernel = kernels[i];
    if (kernel == null) return node;
    const { op, name, origin } = node;
    const isFree = node.op === CAT && definitionsOf(node).every((result) => foreign.has(result));
    const args = isFree ? [...node.args, ANY_ORDER] : node.args;
    return { ...node, op: kernel, args, origin: { ...origin, joined: origin.joined ?? [{ op, name }] } };
  });
  return { ...program, graph: { ...graph, nodes } };
}
