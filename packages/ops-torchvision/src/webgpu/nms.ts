import { type KernelCall, type TensorView, type WebgpuKernel, webgpuKernel } from "@pt2/backend-webgpu";
import { nmsKept } from "../nms.ts";
import { declareOverlaps } from "./overlaps.ts";
import { planOrder } from "./score-order.ts";

/**
 * The boxes that are compared with all later ones at once, in bits that a pair has each; of the others only those are that
 * these have not removed. The bits take so much memory at most.
 */
const STRIPE = { boxes: 2048, bytes: 16 * 2 ** 20 };

/** The invocations that go through the boxes together. */
const LANES = 256;

/**
 * Greedy non-maximum suppression without a readback: boxes are put into the order of their scores, all pairs are compared in
 * parallel, and one workgroup goes through the boxes to find which are kept (as torchvision's CUDA kernel does it).
 */
export const nmsKernel: WebgpuKernel = webgpuKernel({
  ops: [nmsKept],
  prepare(call, { dets, scores, iou_threshold }) {
    const n = scores.shape[0]!;
    const [order, kept] = [call.output(0), call.output(1)];
    if (n === 0) return;
    const words = Math.ceil(n / 32);
    const boxes = { n, boxes: call.temporary("float32", [n, 4]), areas: call.temporary("float32", [n]) };
    // A bit for each box: whether it is removed.
    const removed = call.temporary("uint32", [words]);
    planOrder(call, call.tensor(dets), call.tensor(scores), { order, ...boxes, removed });
    const most = Math.max(Math.floor(STRIPE.bytes / (4 * 32 * words)), 1) * 32;
    const rows = Math.min(STRIPE.boxes, most, 32 * words);
    const bits = call.temporary("uint32", [rows, words]);
    for (let begin = 0; begin < n; begin += rows) {
      const stripe = { begin, end: Math.min(begin + rows, n), first: begin / 32, words, bits, removed };
      planOverlaps(call, boxes, stripe, iou_threshold);
      planKept(call, stripe, kept);
    }
  },
});

interface Boxes {
  readonly n: number;
  /** In the order of scores: corners [n, 4], and areas [n]. */
  readonly boxes: TensorView;
  readonly areas: TensorView;
}

interface Stripe {
  /** From the first box to before the last one. */
  readonly begin: number;
  readonly end: number;
  /** The first of the `words` words of 32 boxes that they are compared with. */
  readonly first: number;
  readonly words: number;
  /** For each box of the stripe, a bit for each box from the first word on: whether it overlaps that later one. */
  readonly bits: TensorView;
  readonly removed: TensorView;
}

/** Compares the boxes of a stripe with all that come later. What is removed already keeps what was in memory. */
function planOverlaps(
  call: KernelCall,
  { n, boxes, areas }: Boxes,
  { begin, end, first, words, bits, removed }: Stripe,
  threshold: number,
): void {
  const shader = call.shader("nms overlaps").read("boxes", boxes, { vector: true }).read("areas", areas);
  shader.read("removed", removed).write("bits", bits);
  shader
    .u32("n", n)
    .u32("begin", begin)
    .u32("rows", end - begin)
    .u32("first", first)
    .u32("width", words - first);
  const declarations = declareOverlaps(shader, threshold);
  // Neighbors compare other boxes with the same ones.
  shader.forEach(
    (end - begin) * (words - first),
    `let row = p.begin + i % p.rows;
  let word = p.first + i / p.rows;
  let is_removed = (removed(row / 32u) >> (row % 32u)) & 1u;
  if (is_removed == 1u || word < row / 32u || removed(word) == 0xffffffffu) { return; }
  let box = boxes4(row);
  let area = areas(row);
  var found = 0u;
  for (var k = select(0u, row % 32u + 1u, word == row / 32u); k < min(32u, p.n - 32u * word); k++) {
    let other = 32u * word + k;
    found |= select(0u, 1u << k, overlaps(box, area, boxes4(other), areas(other)));
  }
  set_bits((row - p.begin) * p.width + word - p.first, found);`,
    { declarations },
  );
}

/**
 * Goes through the boxes of a stripe, 32 at a time: which of these are kept is found one after the other, and all later boxes
 * that they overlap are removed in parallel.
 */
function planKept(call: KernelCall, { begin, end, first, words, bits, removed }: Stripe, kept: TensorView): void {
  const shader = call.shader("nms kept").read("bits", bits).write("removed", removed).write("kept", kept);
  shader.u32("begin", begin).u32("end", end);
  shader.u32("first", first).u32("words", words);
  shader.forEachGroup(
    1,
    `let width = p.words - p.first;
  for (var word = p.first; 32u * word < p.end; word++) {
    let block = (32u * word - p.begin) * width - p.first;
    if (lane < 32u) { own[lane] = bits(block + lane * width + word); }
    workgroupBarrier();
    var gone = removed_buf[p.removed_offset + word];
    for (var k = 0u; k < 32u; k++) { gone |= select(0u, own[k], ((gone >> k) & 1u) == 0u); }
    if (lane < 32u && 32u * word + lane < p.end) { set_kept(32u * word + lane, ((gone >> lane) & 1u) == 0u); }
    if (gone != 0xffffffffu) {
      for (var later = word + 1u + lane; later < p.words; later += ${LANES}u) {
        var found = removed_buf[p.removed_offset + later];
        for (var k = 0u; k < 32u; k++) {
          found |= select(0u, bits(block + k * width + later), ((gone >> k) & 1u) == 0u);
        }
        removed_buf[p.removed_offset + later] = found;
      }
    }
    storageBarrier();
    workgroupBarrier();
  }`,
    { workgroupSize: LANES, declarations: "var<workgroup> own: array<u32, 32>;\n" },
  );
}
