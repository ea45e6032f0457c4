import type { DType } from "@pt2/format";
import type { Arg, NamedArg, Node, OpName, TensorType } from "../../ir.ts";
import { argOf, namesOf } from "../../query/node-values.ts";
import { contiguousStrides } from "../../strides.ts";
import type { SymInt } from "../../sym/sym-expr.ts";
import type { GraphBuilder } from "../graph-builder.ts";
import { einsumSteps } from "./einsum-steps.ts";

type Split = (node: Node, lower: DType, builder: GraphBuilder) => readonly Node[] | null;

/** Ops that PyTorch composes of ops with different rules. */
const SPLITS: ReadonlyMap<OpName, Split> = new Map<OpName, Split>([
  ["aten::einsum", einsum],
  ["aten::bilinear", bilinear],
  ["aten::matrix_power", inversePower],
  ["aten::linalg_matrix_power", inversePower],
  ...["linalg_pinv", "linalg_pinv.rcond_tensor", "linalg_pinv.atol_rtol_float", "linalg_pinv.atol_rtol_tensor"].map(
    (op) => [`aten::${op}`, pseudoInverse] as const,
  ),
]);

/** Splits a node into those to which autocast's rules apply; the last one defines its result. Other nodes are returned alone. */
export function splitComposite(node: Node, lower: DType, builder: GraphBuilder): readonly Node[] {
  return SPLITS.get(node.op)?.(node, lower, builder) ?? [node];
}

/** Returns the type of a tensor that autocast casts, which it does with neither integers nor float64. */
export function castableType(arg: Arg | undefined, builder: GraphBuilder): TensorType | null {
  const type = arg?.kind === "value" ? builder.typeOf(arg.name) : undefined;
  if (type?.kind !== "tensor") return null;
  return ["float32", "float16", "bfloat16"].includes(type.dtype) ? type : null;
}

/** Products of two operands, one after the other, for more than two. */
function einsum(node: Node, lower: DType, builder: GraphBuilder): readonly Node[] | null {
  const [equation, tensors, path] = ["equation", "tensors", "path"].map((name) => argOf(node, name));
  if (equation?.kind !== "string" || tensors?.kind !== "list") return null;
  const types = tensors.items.map((item) => castableType(item, builder));
  if (types.length < 3 || !types.every((type) => type !== null)) return null;
  const order = path?.kind === "list" ? path.items.map((at) => (at.kind === "int" ? Number(at.value) : -1)) : [];
  const shapes = types.map(({ shape }) => shape);
  const steps = einsumSteps(equation.value, shapes, order);
  let operands = tensors.items.map((arg, i) => ({ arg, type: types[i]! }));
  const nodes = steps?.map(({ operands: pair, equation, shape, contracts }) => {
    const [left, right] = pair.map((at) => operands[at]!) as [Typed, Typed];
    const rest = operands.filter((_, at) => !pair.includes(at));
    const same = left.type.dtype === right.type.dtype ? left.type.dtype : "float32";
    const type = dense(left.type, contracts ? lower : same, shape);
    const args: readonly NamedArg[] = [
      { name: "equation", arg: { kind: "string", value: equation } },
      { name: "tensors", arg: { kind: "list", items: [left.arg, right.arg] } },
    ];
    const product = rest.length === 0 ? { ...node, args } : piece(node, builder, "aten::einsum", args, type);
    operands = [...rest, { arg: resultOf(product), type }];
    return product;
  });
  return nodes ?? null;
}

interface Typed {
  readonly arg: Arg;
  readonly type: TensorType;
}

/** Products of matrices, summed up and with a bias in the dtype of `input1`. */
function bilinear(node: Node, lower: DType, builder: GraphBuilder): readonly Node[] | null {
  const type = castableType(argOf(node, "input1"), builder);
  const result = resultType(node, builder);
  const bias = argOf(node, "bias");
  if (type === null || result === null) return null;
  const operands = node.args.filter(({ name }) => name !== "bias");
  const products = piece(node, builder, "aten::bilinear", operands, { ...result, dtype: lower });
  const cast = [
    { name: "self", arg: resultOf(products) },
    { name: "dtype", arg: { kind: "dtype", value: type.dtype } },
  ] as const;
  if (bias === undefined || bias.kind === "none") return [products, { ...node, op: "aten::to.dtype", args: cast }];
  const sums = piece(node, builder, "aten::to.dtype", cast, { ...result, dtype: type.dtype });
  const add = [
    { name: "self", arg: resultOf(sums) },
    { name: "other", arg: bias },
  ];
  return [products, sums, { ...node, op: "aten::add.Tensor", args: add }];
}

/** The inverse, and its power from the second one on. */
function inversePower(node: Node, _: DType, builder: GraphBuilder): readonly Node[] | null {
  const [self, n] = [argOf(node, "self"), argOf(node, "n")];
  const type = castableType(self, builder);
  if (type === null || n?.kind !== "int" || n.value > -2) return null;
  const inverse = piece(node, builder, "aten::linalg_inv", [{ name: "A", arg: self! }], { ...type, dtype: "float32" });
  const args = [
    { name: "self", arg: resultOf(inverse) },
    { name: "n", arg: { kind: "int", value: -n.value } },
  ] as const;
  return [inverse, { ...node, args }];
}

/** A decomposition, and a product of what comes of it. */
function pseudoInverse(node: Node, lower: DType, builder: GraphBuilder): readonly Node[] | null {
  const type = castableType(argOf(node, "self"), builder);
  const result = resultType(node, builder);
  if (type === null || result === null) return null;
  const inverse = piece(node, builder, node.op, node.args, { ...result, dtype: "float32" });
  // At export PyTorch computes shapes and dtypes with another composition, which stays float32.
  builder.setType(namesOf(node.outputs[0]!)[0]!, { ...result, dtype: lower });
  const args = [
    { name: "self", arg: resultOf(inverse) },
    { name: "dtype", arg: { kind: "dtype", value: lower } },
  ] as const;
  return [inverse, { ...node, op: "aten::to.dtype", args }];
}

function piece({ origin }: Node, builder: GraphBuilder, op: OpName, args: readonly NamedArg[], type: TensorType): Node {
  const name = builder.fresh(op.slice("aten::".length).split(".")[0]!);
  builder.setType(name, type);
  return { name, op, args, outputs: [{ kind: "value", name }], origin };
}

function resultType({ outputs: [output] }: Node, builder: GraphBuilder): TensorType | null {
  const type = output?.kind === "value" ? builder.typeOf(output.name) : undefined;
  return type?.kind === "tensor" ? type : null;
}

function resultOf({ name }: Node): Arg {
  return { kind: "value", name };
}

function dense(type: TensorType, dtype: DType, shape: readonly SymInt[]): TensorType {
  return { ...type, dtype, shape, strides: contiguousStrides(shape), storageOffset: 0 };
}
