import { argOf, type Node } from "@pt2/graph";

const BINARY: Readonly<Record<string, string>> = {
  "_operator::add": "+",
  "_operator::sub": "-",
  "_operator::mul": "*",
  "_operator::eq": "===",
  "_operator::ne": "!==",
  "_operator::lt": "<",
  "_operator::le": "<=",
  "_operator::gt": ">",
  "_operator::ge": ">=",
};

/** Of booleans, and of the bits of integers, which may be more than 32. */
const LOGICAL: Readonly<Record<string, readonly [booleans: string, bits: string]>> = {
  "_operator::and_": ["&&", "&"],
  "_operator::or_": ["||", "|"],
};

const CALLS: Readonly<Record<string, string>> = {
  "torch::sym_max": "Math.max",
  "torch::sym_min": "Math.min",
  "math::trunc": "Math.trunc",
  "math::floor": "Math.floor",
  "math::ceil": "Math.ceil",
  "torch::sym_int": "Math.trunc",
  "torch::sym_float": "",
  "torch::sym_not": "!",
  "_operator::neg": "-",
  "_operator::pos": "",
  "_operator::abs": "Math.abs",
};

const REAL = /^(?:math::|torch::_?sym_)(sqrt|cosh?|sinh?|tanh?|asinh?|acos|atan|exp|log2?)$/;

/** What the text of an argument is by its position. */
export interface SizeArguments {
  text(at: number): string;
  isBoolean(at: number): boolean;
}

/** Writes a node that computes a size as an expression; undefined for any other node. */
export function sizeText(node: Node, { text, isBoolean }: SizeArguments): string | undefined {
  const { op } = node;
  if (op === "aten::sym_size.int" || op === "aten::size.int") {
    const dim = argOf(node, "dim");
    if (dim?.kind !== "int") return undefined;
    return dim.value < 0 ? `${text(0)}.shape.at(${dim.value})!` : `${text(0)}.shape[${dim.value}]!`;
  }
  if (op === "aten::sym_numel") return `${text(0)}.numel`;
  const operator = BINARY[op];
  if (operator !== undefined) return `(${text(0)} ${operator} ${text(1)})`;
  const logical = LOGICAL[op];
  if (logical !== undefined) {
    if (isBoolean(0) && isBoolean(1)) return `(${text(0)} ${logical[0]} ${text(1)})`;
    return `Number(BigInt(${text(0)}) ${logical[1]} BigInt(${text(1)}))`;
  }
  // Python raises where there is no number; a number that is written is no zero.
  const checked = (written: string): string => (node.args[1]?.arg.kind === "value" ? `real(${written})` : written);
  if (op === "_operator::truediv") return checked(`(${text(0)} / ${text(1)})`);
  if (op === "_operator::floordiv") return `Math.floor(${checked(`${text(0)} / ${text(1)}`)})`;
  // Python's remainder has the sign of the divisor.
  if (op === "_operator::mod") return checked(`(((${text(0)} % ${text(1)}) + ${text(1)}) % ${text(1)})`);
  if (op === "_operator::pow") return `real(${text(0)} ** ${text(1)})`;
  if (op === "torch::sym_ite") return `(${text(0)} ? ${text(1)} : ${text(2)})`;
  const [, fn] = REAL.exec(op) ?? [];
  if (fn !== undefined) return `real(Math.${fn}(${text(0)}))`;
  const called = CALLS[op];
  return called === undefined ? undefined : `${called}(${node.args.map((_, at) => text(at)).join(", ")})`;
}
