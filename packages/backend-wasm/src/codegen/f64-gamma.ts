import { shortLog } from "./f64-logarithm.ts";
import type { FloatOps } from "./float-ops.ts";
import type { Node } from "./nodes.ts";

/** lgamma(2 + u) / u for |u| up to ½: a minimax fit, within 2^-31 of itself. */
const NEAR_TWO = [
  0.42278433500645, 0.3224670346944, -0.06735228223886, 0.02058073420599, -0.0073861588447, 0.00289173463827,
  -0.0011859578081, 0.00050150912046, -0.00025362195094, 0.00012237386388,
];

const STIRLING = [1 / 12, -1 / 360, 1 / 1260, -1 / 1680];

/** Computes the logarithm of the gamma function of a positive number, for single precision. */
export function lgamma(f: FloatOps, x: Node): Node {
  // Γ(x + n) = Γ(x) x (x + 1) … leads to numbers near 2, where a polynomial is, or to large ones, where Stirling's series is.
  const two = f.mul(x, f.add(x, 1));
  const four = f.mul(two, f.mul(f.add(x, 2), f.add(x, 3)));
  const [isLeast, isLess, isNear, isSmall] = [0.5, 1.5, 2.5, 8].map((limit) => f.lt(x, limit)) as [
    Node,
    Node,
    Node,
    Node,
  ];
  const factor = f.choose(isLess, f.choose(isLeast, two, x), f.choose(isNear, 1, f.choose(isSmall, four, 1)));
  const u = f.sub(x, f.choose(isLess, f.choose(isLeast, 0, 1), 2));
  const z = f.choose(isSmall, f.add(x, 4), x);
  const inverse = f.div(1, z);
  const series = f.mulAdd(inverse, f.polynomial(f.mul(inverse, inverse), STIRLING), Math.log(2 * Math.PI) / 2 - 0.5);
  const far = f.mulAdd(f.sub(z, 0.5), f.sub(shortLog(f, z), 1), series);
  return f.sub(f.choose(isNear, f.mul(u, f.polynomial(u, NEAR_TWO)), far), shortLog(f, factor));
}
