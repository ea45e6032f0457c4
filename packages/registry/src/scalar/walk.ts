import { registryError } from "../registry-errors.ts";
import type { ScalarValue, TypedExpr } from "./typed.ts";

/** Computes a value for each node from the values of its children; shared nodes are visited once. */
export function fold<T>(roots: readonly TypedExpr[], visit: (node: TypedExpr, of: (child: TypedExpr) => T) => T): T[] {
  const memo = new Map<TypedExpr, T>();
  const of = (node: TypedExpr): T => {
    if (!memo.has(node)) memo.set(node, visit(node, of));
    return memo.get(node) as T;
  };
  return roots.map(of);
}

/** Returns the node with other children; the node itself if they are the same. */
export function withChildren(node: TypedExpr, of: (child: TypedExpr) => TypedExpr): TypedExpr {
  switch (node.kind) {
    case "input":
    case "const":
      return node;
    case "unary":
    case "cast": {
      const x = of(node.x);
      return x === node.x ? node : { ...node, x };
    }
    case "binary": {
      const [x, y] = [of(node.x), of(node.y)];
      return x === node.x && y === node.y ? node : { ...node, x, y };
    }
    case "select": {
      const [c, x, y] = [of(node.c), of(node.x), of(node.y)];
      return c === node.c && x === node.x && y === node.y ? node : { ...node, c, x, y };
    }
  }
}

/** Returns the operands of a node. */
function childrenOf(node: TypedExpr): readonly TypedExpr[] {
  switch (node.kind) {
    case "input":
    case "const":
      return [];
    case "unary":
    case "cast":
      return [node.x];
    case "binary":
      return [node.x, node.y];
    case "select":
      return [node.c, node.x, node.y];
  }
}

/** Replaces inputs by expressions, which fuses a producer into its consumer. Dtypes must agree. */
export function substitute(expr: TypedExpr, replacement: (index: number) => TypedExpr): TypedExpr {
  return fold<TypedExpr>([expr], (node, of) => {
    if (node.kind !== "input") return withChildren(node, of);
    const put = replacement(node.index);
    if (put.dtype !== node.dtype) {
      throw registryError("registry.scalar-dtype", {
        what: `operand ${node.index} is ${node.dtype}, but the expression that replaces it is ${put.dtype}`,
      });
    }
    return put;
  })[0] as TypedExpr;
}

/** Returns a canonical text, which is equal for structurally equal expressions, however their nodes are shared. */
export function keyOf(...roots: readonly TypedExpr[]): string {
  const lines = new Map<string, number>();
  const ids = fold<number>(roots, (node, of) => {
    const line = lineOf(node, of);
    const id = lines.get(line) ?? lines.size;
    lines.set(line, id);
    return id;
  });
  return `${[...lines.keys()].join(";")}>${ids.join(",")}`;
}

function lineOf(node: TypedExpr, of: (child: TypedExpr) => number): string {
  switch (node.kind) {
    case "input":
      return `${node.dtype} in${node.index}`;
    case "const":
      return `${node.dtype} ${literal(node.value)}`;
    case "cast":
      return `${node.dtype} cast ${of(node.x)}`;
    case "unary":
      return `${node.dtype} ${node.fn} ${of(node.x)}`;
    case "binary":
      return `${node.dtype} ${node.fn} ${of(node.x)} ${of(node.y)}`;
    case "select":
      return `${node.dtype} select ${of(node.c)} ${of(node.x)} ${of(node.y)}`;
  }
}

const literal = (value: ScalarValue): string => (Object.is(value, -0) ? "-0" : String(value));

/** Returns the indices of the inputs that the expressions read, in ascending order. */
export function inputsOf(...roots: readonly TypedExpr[]): readonly number[] {
  const seen = new Set<number>();
  fold<void>(roots, (node, of) => {
    if (node.kind === "input") seen.add(node.index);
    for (const child of childrenOf(node)) of(child);
  });
  return [...seen].sort((a, b) => a - b);
}
