import type { ElementExpr } from "@pt2/engine";
import type { DType } from "@pt2/format";
import { convert, fold, type ScalarValue, simplify } from "@pt2/registry/scalar";
import { castExpr } from "./casts.ts";
import { FLOAT32_MAX, f32Literal, i32Literal } from "./literal.ts";
import { narrowIntegers } from "./narrow.ts";
import { binaryExpr, unaryExpr } from "./scalar-functions.ts";
import { computeType } from "./storage.ts";

/**
 * Declares `fn name(x0: …, x1: …) -> …`: the expression of its inputs, all in their compute types. The result is a
 * value that the expression's dtype has: rounded to half precision, wrapped to its width. Shared subexpressions are
 * computed once.
 *
 * float64 is computed in float32 and int64 in int32; throws `webgpu.int64-range` for a constant that does not fit.
 */
export function scalarFunction(name: string, expr: ElementExpr, inputs: readonly DType[]): string {
  const lines: string[] = [];
  const keep = (code: string): string => {
    lines.push(`  let v${lines.length} = ${code};\n`);
    return `v${lines.length - 1}`;
  };
  const roots = "parts" in expr ? expr.parts : [expr];
  const simple = roots.map((root) => narrowIntegers(simplify(root)));
  const results = fold<string>(simple, (node, of) => {
    switch (node.kind) {
      case "input":
        return `x${node.index}`;
      case "const":
        return literal(node.dtype, node.value);
      case "cast":
        return keep(castExpr(node.x.dtype, node.dtype, of(node.x)));
      case "select":
        return keep(`select(${of(node.y)}, ${of(node.x)}, ${of(node.c)})`);
      case "unary":
        return keep(unaryExpr(node.fn, node.x.dtype, of(node.x)));
      case "binary":
        return keep(binaryExpr(node.fn, node.x.dtype, of(node.x), of(node.y)));
    }
  });
  const type = computeType(expr.dtype);
  const result = "parts" in expr ? `${type}(${results.join(", ")})` : results[0];
  const parameters = inputs.map((dtype, i) => `x${i}: ${computeType(dtype)}`);
  return `fn ${name}(${parameters.join(", ")}) -> ${type} {\n${lines.join("")}  return ${result};\n}\n`;
}

function literal(dtype: DType, value: ScalarValue): string {
  const converted = convert(dtype, value);
  switch (computeType(dtype)) {
    case "bool":
      return String(converted);
    case "i32":
      return i32Literal(Number(converted));
    case "u32":
      return `${converted}u`;
    case "f32":
      return f32Literal(inFloat32(converted as number));
    case "vec2<f32>":
      return `vec2<f32>(${f32Literal(Number(converted))}, 0f)`;
  }
}

/** A finite float64 stays finite. */
function inFloat32(value: number): number {
  return Number.isFinite(value) ? Math.min(Math.max(value, -FLOAT32_MAX), FLOAT32_MAX) : value;
}
