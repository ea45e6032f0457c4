// Batch norms whose running statistics stayed what they were, without an error.
import { fromBytes, openSafetensors, type Tensors, writeSafetensors } from "@pt2/format";
import { parse } from "@pt2/graph";
import { load, ones, tensor, weightsFor, zeros } from "@pt2/runtime/node";
import { describe, expect, it } from "vitest";
import { testedBackends } from "../backends.ts";

const MOMENTUM = "momentum=0.5, eps=1e-5";
const CALLS = [
  `%y: f32[2, 2] = aten::batch_norm(STATISTICS, training=true, ${MOMENTUM}, cudnn_enabled=false)`,
  `y: %y: f32[2, 2], %a: f32[2], %b: f32[2] = aten::native_batch_norm(STATISTICS, training=true, ${MOMENTUM})`,
  `y: %y: f32[2, 2], %a: f32[2], %b: f32[2], %c: u8[0], %d: int = aten::_batch_norm_impl_index(STATISTICS, training=true, ${MOMENTUM}, cudnn_enabled=false)`,
];

for (const { name, missing, create, precision } of await testedBackends()) {
  describe(`batch norms in training on ${name}`, () => {
    if (missing !== null) return it.skip(`skipped: ${missing}`);

    it.each(CALLS)("%s updates its statistics", async (call) => {
      const program = parse(`program {
        buffer "mean" = %mean: f32[2]
        buffer "var" = %var: f32[2]
        user_input %x: f32[2, 2]
        ${call.replace("STATISTICS", "input=%x, weight=none, bias=none, running_mean=%mean, running_var=%var")}
        return %y
      }`);
      const tensors: Tensors = new Map([
        ["mean", zeros([2])],
        ["var", ones([2])],
      ]);
      const chunks: Uint8Array[] = [];
      await writeSafetensors(tensors, (chunk) => void chunks.push(chunk));
      const weights = weightsFor(program, await openSafetensors(fromBytes(Buffer.concat(chunks))));
      const options = { backend: await create(), ...(precision && { precision }) };
      await using model = await load({ program, weights }, options);
      await model.forward(tensor("float32", [2, 2], [1, 2, 3, 6]));
      const state = await model.readState!();
      expect([...state.get("mean")!.data]).toEqual([1, 2]);
      expect([...state.get("var")!.data]).toEqual([1.5, 4.5]);
    });
  });
}
