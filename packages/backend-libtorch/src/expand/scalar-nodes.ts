import type { DType } from "@pt2/format";
import type { NamedArg } from "@pt2/graph";
import type { TypedCall } from "@pt2/registry";
import { type BinaryFn, fold, type TypedExpr, type UnaryFn } from "@pt2/registry/scalar";
import type { ExpansionBuilder } from "./expansion-builder.ts";

/** An op of libtorch that computes a function of two operands. */
interface BinaryOp {
  readonly op: string;
  /** What its schema calls the second operand; `other` if left out. */
  readonly second?: string;
  readonly args?: readonly NamedArg[];
}

/** Functions of two operands whose op is not the function's name with `.Tensor`. */
const BINARY: { readonly [F in BinaryFn]?: BinaryOp } = {
  floordiv: { op: "div.Tensor_mode", args: [rounding("floor")] },
  truncdiv: { op: "div.Tensor_mode", args: [rounding("trunc")] },
  mod: { op: "remainder.Tensor" },
  pow: { op: "pow.Tensor_Tensor", second: "exponent" },
  atan2: { op: "atan2" },
  min: { op: "minimum" },
  max: { op: "maximum" },
  and: { op: "bitwise_and.Tensor" },
  or: { op: "bitwise_or.Tensor" },
  xor: { op: "bitwise_xor.Tensor" },
  shl: { op: "bitwise_left_shift.Tensor" },
  shr: { op: "bitwise_right_shift.Tensor" },
  hypot: { op: "hypot" },
  nextafter: { op: "nextafter" },
};

/** Functions of one operand whose op does not have the function's name. */
const UNARY: { readonly [F in UnaryFn]?: string } = { not: "bitwise_not" };

/**
 * Expresses an elementwise call of an op that libtorch does not have by calls of ops that it has. The typed expression
 * has every conversion already. Returns the name of the result, which shares no memory with the operands.
 */
export function scalarNodes({ expr, operands, shape }: TypedCall, builder: ExpansionBuilder): string {
  const shapes: (readonly number[])[] = [];
  const [result] = fold<string>([expr], (node, of) => {
    const operand = (name: string, value: string): NamedArg => ({ name, arg: { kind: "value", name: value } });
    const self = operand("self", "x" in node ? of(node.x) : "");
    switch (node.kind) {
      case "input":
        shapes.push(operands[node.index]!.shape);
        return builder.nameOf(operands[node.index]!);
      case "const":
        return builder.tensor("aten::scalar_tensor", [constant(node), dtypeArg(node.dtype)]);
      case "cast":
        return builder.tensor("aten::_to_copy", [self, dtypeArg(node.dtype)]);
      case "select": {
        return builder.tensor("aten::where.self", [
          operand("condition", of(node.c)),
          self,
          operand("other", of(node.y)),
        ]);
      }
      case "unary":
        return builder.tensor(`aten::${UNARY[node.fn] ?? node.fn}`, [self]);
      case "binary": {
        const { op, second = "other", args = [] }: BinaryOp = BINARY[node.fn] ?? { op: `${node.fn}.Tensor` };
        return builder.tensor(`aten::${op}`, [self, operand(second, of(node.y)), ...args]);
      }
    }
  });
  return owned(result!, expr, shape, shapes, builder);
}

/** Gives the result its full shape and memory of its own. */
function owned(
  result: string,
  expr: TypedExpr,
  shape: readonly number[],
  used: readonly (readonly number[])[],
  builder: ExpansionBuilder,
): string {
  const whole = used.some((each) => each.length === shape.length && each.every((size, d) => size === shape[d]));
  const self = (name: string): NamedArg => ({ name: "self", arg: { kind: "value", name } });
  if (whole && expr.kind !== "input") return result;
  const items = shape.map((value) => ({ kind: "int" as const, value }));
  const expanded = builder.tensor("aten::expand", [self(result), { name: "size", arg: { kind: "list", items } }]);
  return builder.tensor("aten::clone", [
    self(expanded),
    { name: "memory_format", arg: { kind: "memory_format", value: "contiguous_format" } },
  ]);
}

function constant({ value, dtype }: TypedExpr & { readonly kind: "const" }): NamedArg {
  if (typeof value === "boolean") return { name: "s", arg: { kind: "bool", value } };
  const isFloat =
    typeof value === "number" && (!Number.isInteger(value) || Object.is(value, -0) || /^b?float/.test(dtype));
  return { name: "s", arg: isFloat ? { kind: "float", value: Number(value) } : { kind: "int", value } };
}

function dtypeArg(value: DType): NamedArg {
  return { name: "dtype", arg: { kind: "dtype", value } };
}

function rounding(value: string): NamedArg {
  return { name: "rounding_mode", arg: { kind: "string", value } };
}
