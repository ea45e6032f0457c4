import type { PlanContext } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import type { PlannedMatmul } from "./matmul.ts";
import type { Output } from "./operands.ts";

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

/** Some elements of a vector. */
export function columnsOf(vector: TensorView, start: number, count: number): TensorView {
  return { ...vector, shape: [count], offset: vector.offset + start * vector.strides[0]! };
}
