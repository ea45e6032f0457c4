import type { TensorMeta } from "@pt2/registry";
import type { BinaryFn, TypedExpr } from "@pt2/registry/scalar";
import type { Adapter } from "../../engine/adapter.ts";
import type { KernelCall } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { computeType } from "../../wgsl/storage.ts";
import { type Combination, invocationsFor, WorkgroupReduction } from "../cooperative.ts";
import { areNeighbors, type ReducedLayout, readLanes, reducedLayout } from "./reduced-layout.ts";
import type { Reduction } from "./reduction.ts";

/** With as many workgroups a GPU is busy. */
const ENOUGH_GROUPS = 64;
/** Elements that a workgroup should have at least where one result has several. */
const LEAST = 4096;
const MOST_PIECES = 256;

/**
 * Whether the elements of a result are better reduced by a workgroup than by an invocation: on a GPU, where they lie next
 * to each other, or results are too few.
 */
export function isCooperative(layout: ReducedLayout, { software }: Adapter): boolean {
  return !software && layout.n >= 32 && (layout.outer < 32 || areNeighbors(layout));
}

/** Folds what belongs to each result by a workgroup, or by several and then one. `count` is what a mean divides by. */
export function planCooperativeReduction(
  call: KernelCall,
  self: TensorView,
  layout: ReducedLayout,
  rule: Reduction,
  count: number = layout.n,
): void {
  const { outer, n } = layout;
  const { dtype } = self;
  const pieces = outer >= ENOUGH_GROUPS ? 1 : Math.min(MOST_PIECES, Math.ceil(n / LEAST));
  const length = Math.ceil(n / pieces);
  const type = computeType(dtype) as "f32" | "i32";
  const workgroup = new WorkgroupReduction(invocationsFor(length), call.adapter);
  const shader = readLanes(call.shader(`reduce ${rule.fn} by ${workgroup.lanes}`), self, layout);
  const partial = pieces === 1 ? null : call.temporary(dtype, [outer, pieces]);
  if (partial === null) shader.result("out");
  else shader.write("out", partial);
  shader.u32("n", n).u32("pieces", pieces).u32("length", length).f32("divisor", count);
  const input = (index: number): TypedExpr => ({ kind: "input", dtype, index });
  shader.function("combine", { kind: "binary", dtype, fn: rule.fn, x: input(0), y: input(1) }, [dtype, dtype]);
  shader.function("start", { kind: "const", dtype, value: rule.start[type === "f32" ? 0 : 1] }, []);
  const combination: Combination = {
    type,
    start: "start()",
    two: (x, y) => `combine(${x}, ${y})`,
    subgroup: SUBGROUP[rule.fn as keyof typeof SUBGROUP](type),
  };
  const whole = rule.averages ? "all / p.divisor" : "all";
  const isBool = (call.call.results[0] as TensorMeta).dtype === "bool";
  const value = partial === null ? (isBool ? `${whole} != 0` : whole) : "all";
  const body = `let base = outer(group / p.pieces);
  let first = group % p.pieces * p.length;
  let last = min(first + p.length, p.n);
  var total = start();
  for (var k = first + lane; k < last; k += ${workgroup.lanes}u) { total = combine(total, x_at(base + inner(k))); }
  let all = workgroup_reduce(lane, total);
  if (lane == 0u) { set_out(group, ${value}); }`;
  workgroup.run(shader, outer * pieces, body, workgroup.declare("workgroup_reduce", combination));
  if (partial !== null) planCooperativeReduction(call, partial, reducedLayout(partial, 1), rule, count);
}

type OfSubgroup = (type: "f32" | "i32") => Combination["subgroup"];

/** Subgroups leave open what the greatest of a NaN and a number is; here it is the NaN. */
const withNan =
  (name: string): OfSubgroup =>
  (type) =>
  (x) =>
    type === "f32" ? `select(${name}(${x}), f32_bits(0x7fc00000u), subgroupAny(is_nan(${x})))` : `${name}(${x})`;

const SUBGROUP = {
  add: () => (x) => `subgroupAdd(${x})`,
  mul: () => (x) => `subgroupMul(${x})`,
  max: withNan("subgroupMax"),
  min: withNan("subgroupMin"),
} as const satisfies { readonly [F in BinaryFn]?: OfSubgroup };
