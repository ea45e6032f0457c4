import { argOf, type Node } from "@pt2/graph";

const BINARY: Readonly<Record<string, string>> = {
  "_operator::add": "+",
  "_operator::sub": "-",
  "_operator::mul": "*",
  "_operator::truediv": "/",
  "_operator::eq": "===",
  "_operator::ne": "!==",
  "_operator::lt": "<",
  "_operator::le": "<=",
  "_operator::gt": ">",
  "_operator::ge": ">=",
};

const CALLS: Readonly<Record<string, string>> = {
  "_operator::pow": "Math.pow",
  "torch::sym_max": "Math.max",
  "torch::sym_min": "Math.min",
  "math::trunc": "Math.trunc",
  "math::floor": "Math.floor",
  "math::ceil": "Math.ceil",
  "torch::sym_int": "Math.trunc",
  "torch::sym_float": "",
  "_operator::neg": "-",
  "_operator::pos": "",
  "_operator::abs": "Math.abs",
};

/** Writes a node that computes a size as an expression; undefined for any other node. `text` writes its arguments. */
export function sizeText(node: Node, text: (at: number) => string): string | undefined {
  if (node.op === "aten::sym_size.int" || node.op === "aten::size.int") {
    const dim = argOf(node, "dim");
    if (dim?.kind !== "int") return undefined;
    return dim.value < 0 ? `${text(0)}.shape.at(${dim.value})!` : `${text(0)}.shape[${dim.value}]!`;
  }
  if (node.op === "aten::sym_numel") return `${text(0)}.numel`;
  const operator = BINARY[node.op];
  if (operator !== undefined) return `(${text(0)} ${operator} ${text(1)})`;
  if (node.op === "_operator::floordiv") return `Math.floor(${text(0)} / ${text(1)})`;
  // Python's remainder has the sign of the divisor.
  if (node.op === "_operator::mod") return `(((${text(0)} % ${text(1)}) + ${text(1)}) % ${text(1)})`;
  const called = CALLS[node.op];
  return called === undefined ? undefined : `${called}(${node.args.map((_, at) => text(at)).join(", ")})`;
}
