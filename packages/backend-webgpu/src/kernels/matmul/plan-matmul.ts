import type { PlanContext } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { partsOf } from "../../shader/binding.ts";
import { type Matmul, type PlannedMatmul, simplified, sizeOf } from "./matmul.ts";
import type { Output } from "./operands.ts";

/** Columns that packing rounds up to. */
const PANEL = 32;

/**
 * Plans a product of floating point matrices, row-major, as result 0 of the call or where `output` says; the shader that
 * suits its size and the device is chosen here. A right matrix larger than what the device binds is bound in parts.
 */
export async function planMatmul(ctx: PlanContext, given: Matmul, output: Output = toResult): Promise<void> {
  const product = simplified(given);
  const { batch, m, n } = sizeOf(product);
  if (batch * m * n === 0) return;
  for (const part of await columnsAtOnce(ctx, product.b)) {
    const bias = product.bias && columnsOf(product.bias, part.first, part.b.shape[2]!);
    await planPart(ctx, { ...part, a: product.a, bias, width: n }, output);
  }
}

/** Divides a right matrix into columns that the device binds at once. */
async function columnsAtOnce(
  ctx: PlanContext,
  b: TensorView,
): Promise<readonly Pick<PlannedMatmul, "b" | "first" | "packed">[]> {
  if (!isBfloat16Weight(b)) {
    return partsOf(b, 2, ctx.adapter, PANEL).map(({ view, start }) => ({ b: view, first: start }));
  }
  const { declareWords, packedWords } = await import("./bfloat16-words.ts");
  return partsOf(packedWords(ctx, b), 0, ctx.adapter, 1).map(({ view: words, start }) => {
    const [panels, , panel] = words.shape as readonly [number, number, number];
    const first = start * panel;
    const part = { ...b, shape: b.shape.with(2, Math.min(panels * panel, b.shape[2]! - first)) };
    return { b: part, first, packed: (shader) => declareWords(shader, words) };
  });
}

/** Whether a right matrix takes half the memory in words: elements of bfloat16 are stored as float32. */
function isBfloat16Weight({ dtype, shape, strides, buffer }: TensorView): boolean {
  return dtype === "bfloat16" && buffer.constant !== null && (shape[0] === 1 || strides[0] === 0) && shape[1]! > 0;
}

/** Plans a product that is bound at once. A device uses one of the two. */
export async function planPart(ctx: PlanContext, product: PlannedMatmul, output: Output): Promise<void> {
  if (ctx.adapter.software) {
    const { planRegisterTile } = await import("./register-tile.ts");
    planRegisterTile(ctx, product, output);
  } else {
    const { planSharedTiles } = await import("./plan-shared-tile.ts");
    planSharedTiles(ctx, product, output);
  }
}

export const toResult: Output = (shader, options) => shader.result("out", 0, options);

/** Some elements of a vector. */
export function columnsOf(vector: TensorView, start: number, count: number): TensorView {
  return { ...vector, shape: [count], offset: vector.offset + start * vector.strides[0]! };
}
