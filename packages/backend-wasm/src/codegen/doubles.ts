import { f32Ops, f64Ops, type VectorOps } from "./float-ops.ts";
import type { Node, NodeGraph } from "./nodes.ts";

/** Returns what functions of vectors are made of. */
export function vectorOps(g: NodeGraph): VectorOps {
  return {
    g,
    single: f32Ops(g),
    double: f64Ops(g),
    inDoubles: (given, compute) => inDoubles(g, given, compute),
  };
}

/** Computes what becomes of float32 in double precision, and rounds it once. */
export function inDoubles(g: NodeGraph, given: readonly Node[], compute: (...wide: Node[]) => Node): Node {
  const upper = (x: Node): Node => g.shuffle(x, x, [8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15]);
  const [low, high] = [given, given.map(upper)].map((lanes) =>
    g.op("f32x4.demote_f64x2_zero", compute(...lanes.map((lane) => g.op("f64x2.promote_low_f32x4", lane)))),
  ) as [Node, Node];
  return g.shuffle(low, high, [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23]);
}
