import type { PlanContext } from "../../engine/kernel.ts";
import { partsOf } from "../../shader/binding.ts";
import { type Matmul, simplified, sizeOf } from "./matmul.ts";
import type { Output } from "./operands.ts";
import { columnsOf, planPart } from "./plan-part.ts";

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
  if (isBfloat16Weight(product)) {
    await (await import("./bfloat16-words.ts")).planBfloat16Product(ctx, product, output);
    return;
  }
  for (const { view, start } of partsOf(product.b, 2, ctx.adapter, PANEL)) {
    const bias = product.bias && columnsOf(product.bias, start, view.shape[2]!);
    await planPart(ctx, { a: product.a, b: view, bias, width: n, first: start }, output);
  }
}

/** Whether a right matrix takes half the memory in words: elements of bfloat16 are stored as float32. */
function isBfloat16Weight({ b: { dtype, shape, strides, buffer } }: Matmul): boolean {
  return dtype === "bfloat16" && buffer.constant !== null && (shape[0] === 1 || strides[0] === 0) && shape[1]! > 0;
}

export const toResult: Output = (shader, options) => shader.result("out", 0, options);
