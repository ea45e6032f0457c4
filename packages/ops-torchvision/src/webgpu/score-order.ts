import type { KernelCall, TensorView } from "@pt2/backend-webgpu";

/** Where boxes go by the order of their scores. */
export interface Ordered {
  /** The boxes by descending score: int64 [n]. */
  readonly order: TensorView;
  /** Their corners [n, 4] and areas [n]. */
  readonly boxes: TensorView;
  readonly areas: TensorView;
  /** A bit for each of them, in words of 32: 0, and 1 in what follows the last box. */
  readonly removed: TensorView;
}

/**
 * Puts boxes into the order of their scores: NaN is the largest, and equal ones keep their order. Each counts the boxes that
 * come before it, which is one dispatch; all pairs are compared later on anyway.
 */
export function planOrder(call: KernelCall, dets: TensorView, scores: TensorView, to: Ordered): void {
  const n = scores.shape[0]!;
  const padded = Math.ceil(n / 4) * 4;
  const keys = call.temporary("int32", [padded]);
  call
    .shader("nms scores")
    .read("scores", scores)
    .u32("n", n)
    .write("keys", keys)
    .forEach(padded, "if (i < p.n) { set_keys(i, key(scores(i))); } else { set_keys(i, -0x7fffffff - 1); }", {
      declarations: KEY,
    });
  const shader = call.shader("nms order").read("keys", keys, { vector: true }).at("dets", dets);
  shader.write("order", to.order).write("boxes", to.boxes, { vector: true }).write("areas", to.areas);
  shader.write("removed", to.removed);
  shader
    .u32("n", n)
    .u32("quads", padded / 4)
    .u32("words", to.removed.shape[0]!);
  shader.forEach(
    n,
    `let own = vec4<i32>(keys(i));
  var before = vec4<u32>();
  for (var quad = 0u; quad < p.quads; quad++) {
    let others = keys4(quad);
    let at = vec4<u32>(4u * quad) + vec4<u32>(0u, 1u, 2u, 3u);
    before += vec4<u32>((others > own) | ((others == own) & (at < vec4<u32>(i))));
  }
  let rank = before.x + before.y + before.z + before.w;
  let box = vec4<f32>(dets(i, 0u), dets(i, 1u), dets(i, 2u), dets(i, 3u));
  set_order(rank, i32(i));
  set_boxes4(rank, box);
  set_areas(rank, (box.z - box.x) * (box.w - box.y));
  if (i < p.words) { set_removed(i, select(0u, 0xffffffffu << (p.n & 31u), 32u * (i + 1u) > p.n)); }`,
  );
}

/** Bits of a float in the order of numbers; both zeros are one. */
const KEY = `fn key(x: f32) -> i32 {
  let bits = bitcast<i32>(x);
  let ordered = select(bits, 0, (bits << 1u) == 0);
  return select(ordered ^ ((ordered >> 31u) & 0x7fffffff), 0x7fffffff, is_nan(x));
}
`;
