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
  for (const { view, start } of partsOf(product.b, 2, ctx.adapter, PANEL)) {
    const bias = product.bias && columnsOf(product.bias, start, view.shape[2]!);
    await planPart(ctx, { a: product.a, b: view, bias, width: n, first: start }, output);
  }
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
