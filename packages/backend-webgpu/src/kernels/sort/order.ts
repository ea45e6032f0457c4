import type { TensorView } from "../../engine/tensor-view.ts";
import { computeType } from "../../wgsl/storage.ts";

/**
 * WGSL that declares `before(a, i, b, j)`: whether the element with key `a` at position `i` comes before another one, and
 * `key(x)`. Equal elements keep their order, so any way of sorting by it is stable; NaN counts as the largest. Complex numbers have no order.
 */
export function orderOf({ dtype }: Pick<TensorView, "dtype">, descending: boolean): string {
  const type = computeType(dtype);
  const keys = {
    // Bits of a float in the order of numbers; both zeros are one.
    f32: `let bits = bitcast<i32>(select(x, 0f, x == 0f));
  return select(bits ^ ((bits >> 31u) & 0x7fffffff), 0x7fffffff, is_nan(x));`,
    i32: "return x;",
    u32: "return bitcast<i32>(x ^ 0x80000000u);",
    bool: "return i32(x);",
  };
  return `fn key(x: ${type}) -> i32 { ${keys[type as keyof typeof keys]} }
fn before(a: i32, i: u32, b: i32, j: u32) -> bool { return a ${descending ? ">" : "<"} b || (a == b && i < j); }
`;
}
