// Optimizers and `clip_grad_norm_` with `foreach=True` write to lists of tensors.
import { hostTensor } from "@pt2/backend";
import { parse } from "@pt2/graph";
import { load, type Tensor } from "@pt2/runtime/node";
import { describe, expect, it } from "vitest";
import { testedBackends } from "./backends.ts";

const PROGRAM = `program {
  user_input %x: f32[2]
  user_input %y: f32[1, 3]
  %a: f32[2] = aten::clone(self=%x)
  %b: f32[1, 3] = aten::clone(self=%y)
  %row: f32[3] = aten::select.int(self=%b, dim=0, index=0)
  mul: aten::_foreach_mul_.Scalar(self=[%a, %b], scalar=2.0)
  add: aten::_foreach_add_.List(self=[%a, %row], other=[%x, %row], alpha=0.5)
  clamp_max: aten::_foreach_clamp_max_.ScalarList(self=[%a, %b], scalars=[4.0, 30.0])
  return %a, %b
}`;

describe.each(await testedBackends())("lists of tensors on $name", ({ missing, create, precision }) => {
  it.skipIf(missing !== null)("what is done to each tensor in place is seen through views", async () => {
    const backend = await create();
    const model = await load(
      { program: parse(PROGRAM), weights: new Map() },
      { backend, ...(precision && { precision }) },
    );
    const [x, y] = [
      hostTensor("float32", [2], Float32Array.of(1, 3)),
      hostTensor("float32", [1, 3], Float32Array.of(2, 5, 20)),
    ];
    const [a, b] = (await model.runFlat([x, y])) as readonly [Tensor, Tensor];
    expect([Array.from((await a.read()) as Float32Array), Array.from((await b.read()) as Float32Array)]).toEqual([
      [2.5, 4],
      [6, 15, 30],
    ]);
    await model.dispose();
  });
});
