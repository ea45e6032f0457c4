import { numel } from "@pt2/backend";
import { broadcastStrides } from "@pt2/engine/strides";
import type { TypedExpr } from "@pt2/registry/scalar";
import { createElementwiseCompiler } from "../codegen/compiler.ts";
import { blockBytes, coalesce, innerModes, writeBlock } from "../codegen/geometry.ts";
import { liftNumbers } from "../codegen/lift-numbers.ts";
import type { Heap } from "./heap.ts";
import type { PlanContext } from "./kernel.ts";
import { addressOf, type Place } from "./place.ts";
import type { Services } from "./services.ts";
import { planCopy } from "./strided-copy.ts";

/** The services that generate code: elementwise loops from expressions, and copies. */
export function createElementwise(heap: Heap): Pick<Services, "elementwise" | "copy" | "compiled"> {
  const compiler = createElementwiseCompiler(heap.memory);
  return {
    elementwise(ctx: PlanContext, out: Place, inputs: readonly Place[], expr: TypedExpr) {
      const operands = [...inputs, out];
      const geometry = coalesce(
        out.shape,
        operands.map((place) => broadcastStrides(place, out.shape)),
        inputs.length,
      );
      const inner = innerModes(geometry);
      const dtypes = operands.map(({ dtype }) => dtype);
      const { outputs, numbers } = liftNumbers([expr], inputs.length);
      const kernel = compiler.add({
        inputs: inputs.map(({ dtype }) => dtype),
        outputs,
        inner,
        numbers: numbers.map(({ dtype }) => dtype),
      });
      const block = ctx.scratch(blockBytes(geometry, numbers.length));
      const count = numel(out.shape);
      ctx.step(() => {
        const at = block.address();
        writeBlock(heap.memory, at, geometry, dtypes, operands.map(addressOf), numbers);
        kernel.run(at, 0, count);
      });
    },
    copy: planCopy,
    compiled: () => compiler.buildAsync(),
  };
}
