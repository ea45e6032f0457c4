import type { BinaryFn, TypedExpr } from "@pt2/registry/scalar";
import { fold, simplify, withChildren } from "@pt2/registry/scalar";
import { webgpuError } from "../webgpu-errors.ts";

const LEAST = -(2n ** 31n);
const GREATEST = 2n ** 31n - 1n;
const GREATEST_UNSIGNED = 2n ** 32n - 1n;

/**
 * Returns the expression with int64 in 32 bits. A constant that does not fit them is dropped where it is not a bound at
 * all (`min(x, 2⁶³ - 1)`), or decides a comparison; anywhere else it is `webgpu.int64-range`.
 */
export function narrowIntegers(expr: TypedExpr): TypedExpr {
  const wide = fold<boolean>([expr], (node, of) => {
    const visited = children(node).map(of);
    return isWide(node) || visited.includes(true);
  })[0];
  if (!wide) return expr;
  const narrowed = simplify(
    fold<TypedExpr>([expr], (node, of) => {
      const made = withChildren(node, of);
      return made.kind === "binary" ? narrowBinary(made) : made;
    })[0] as TypedExpr,
  );
  fold<void>([narrowed], (node, of) => {
    if (isWide(node)) throw outOfRange(node);
    for (const child of children(node)) of(child);
  });
  return narrowed;
}

type Binary = Extract<TypedExpr, { readonly kind: "binary" }>;
type Const = Extract<TypedExpr, { readonly kind: "const" }>;

function isWide(node: TypedExpr): node is Const & { readonly value: bigint } {
  if (node.kind !== "const" || typeof node.value !== "bigint") return false;
  return node.dtype === "uint64" ? node.value > GREATEST_UNSIGNED : node.value < LEAST || node.value > GREATEST;
}

const MIRRORED: { readonly [F in BinaryFn]?: BinaryFn } = { lt: "gt", le: "ge", gt: "lt", ge: "le" };

/** With a constant beyond every value of the other operand, the result is one of the two, or known. */
function narrowBinary(node: Binary): TypedExpr {
  const [x, y] = [node.x, node.y];
  if (isWide(x) === isWide(y)) return node;
  const [other, bound] = isWide(y) ? [x, y] : [y, x as Const & { readonly value: bigint }];
  const fn = other === x ? node.fn : (MIRRORED[node.fn] ?? node.fn);
  const above = bound.value > 0n;
  const known = (value: boolean): TypedExpr => ({ kind: "const", dtype: "bool", value });
  switch (fn) {
    case "min":
      return above ? other : bound;
    case "max":
      return above ? bound : other;
    case "eq":
    case "ne":
      return known(fn === "ne");
    case "lt":
    case "le":
      return known(above);
    case "gt":
    case "ge":
      return known(!above);
    default:
      return node;
  }
}

function children(node: TypedExpr): readonly TypedExpr[] {
  const list: TypedExpr[] = [];
  withChildren(node, (child) => {
    list.push(child);
    return child;
  });
  return list;
}

function outOfRange({ value }: Const): Error {
  return webgpuError("webgpu.int64-range", {
    what: `The program computes with the int64 constant ${value}, which does not fit 32 bits`,
    advice: "Use a smaller constant or int32, or another backend.",
    details: { value: String(value) },
  });
}
