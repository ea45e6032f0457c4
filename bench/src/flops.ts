import { numel } from "@pt2/format";
import { type Arg, argOf, type Node, type Program } from "@pt2/graph";

/** Counts the multiplications and additions of a program's convolutions, products and attentions, as exported. */
export function countFlops({ graph }: Program): number {
  const shapeOf = (name: string): readonly number[] => {
    const type = graph.values.get(name);
    return type?.kind === "tensor" ? type.shape.map(Number) : [];
  };
  return graph.nodes.reduce((sum, node) => sum + flopsOf(node, shapeOf), 0);
}

const product = (sizes: readonly number[]): number => numel(sizes);

function flopsOf(node: Node, shapeOf: (name: string) => readonly number[]): number {
  const arg = (name: string): readonly number[] => {
    const found: Arg | undefined = node.args.find((given) => given.name === name)?.arg;
    return found?.kind === "value" ? shapeOf(found.name) : [];
  };
  const [output] = node.outputs;
  const elements = output?.kind === "value" ? product(shapeOf(output.name)) : 0;
  const window = product(arg("weight").slice(1));
  switch (node.op) {
    case "aten::conv1d":
    case "aten::conv2d":
    case "aten::conv3d":
      return 2 * elements * window;
    case "aten::convolution":
      return 2 * (isTransposed(node) ? product(arg("input")) : elements) * window;
    case "aten::conv_transpose1d":
    case "aten::conv_transpose2d.input":
    case "aten::conv_transpose3d.input":
      return 2 * product(arg("input")) * window;
    case "aten::linear":
      return 2 * elements * (arg("weight")[1] ?? 0);
    case "aten::addmm":
    case "aten::mm":
      return 2 * elements * (arg("mat2")[0] ?? 0);
    case "aten::bmm":
      return 2 * elements * (arg("mat2")[1] ?? 0);
    case "aten::scaled_dot_product_attention":
      return 4 * product(arg("query")) * (arg("key").at(-2) ?? 0);
    default:
      return 0;
  }
}

function isTransposed(node: Node): boolean {
  const given = argOf(node, "transposed");
  return given?.kind === "bool" && given.value;
}
