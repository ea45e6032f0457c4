// Sine and cosine in float32.
import { f32Ops } from "./float-ops.ts";
import type { Node, NodeGraph } from "./nodes.ts";

/** The argument beyond which the three-part reduction loses bits and the exact helper takes over. */
const LIMIT = 8192;
const MAGIC = 1.5 * 2 ** 23;
/** π/2 in parts with so few bits that their products with a quadrant's number are exact. */
const HALF_PI = [1.5703125, 0.0004837512969970703, 7.549789954891882e-8] as const;
const SIN_TAIL = [-1.6666654611e-1, 8.3321608736e-3, -1.9515295891e-4];
const COS_TAIL = [4.166664568298827e-2, -1.388731625493765e-3, 2.443315711809948e-5];

/** Computes the sine, or the cosine as the sine one quadrant ahead. `helper` computes large arguments. */
export function sine(g: NodeGraph, x: Node, quadrantsAhead: 0 | 1, helper: string): Node {
  const f = f32Ops(g);
  const bits = f.mulAdd(x, 2 / Math.PI, MAGIC);
  const n = f.sub(bits, MAGIC);
  const r = HALF_PI.reduce<Node>((rest, part) => f.mulAdd(n, -part, rest), x);
  const square = f.mul(r, r);
  const sin = f.mulAdd(f.mul(f.polynomial(square, SIN_TAIL), square), r, r);
  const cosTail = f.mul(f.mul(f.polynomial(square, COS_TAIL), square), square);
  const cos = f.add(f.mulAdd(square, -0.5, cosTail), 1);
  const quadrant = quadrantsAhead ? g.op("i32x4.add", bits, g.i32x4(1)) : bits;
  const odd = g.op("i32x4.shr_s", g.op("i32x4.shl", quadrant, g.i32(31)), g.i32(31));
  const sign = g.op("i32x4.shl", g.op("i32x4.shr_u", quadrant, g.i32(1)), g.i32(31));
  const value = g.op("v128.xor", f.choose(odd, cos, sin), sign);
  return f.unless(f.gt(f.abs(x), LIMIT), value, helper, x);
}
