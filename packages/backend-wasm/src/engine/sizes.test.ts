import { programOf, registryOf, someFloats, weightsOf } from "@pt2/conformance";
import { expect, test } from "vitest";
import { WasmBackend } from "../backend.ts";

const STEP = `
  parameter "w" = %w: f32[8, 8]
  user_input %x: f32[1, 8]
  user_input %cache: f32[s0, 8]
  %length: int(s0) = aten::sym_size.int(%cache, dim=0)
  %places: i64[s0] = aten::arange(end=%length)
  %angles: f32[s0] = aten::cos(%places)
  %column: f32[s0, 1] = aten::unsqueeze(%angles, dim=1)
  %scaled: f32[s0, 8] = aten::mul.Tensor(%cache, other=%column)
  %new: f32[1, 8] = aten::linear(input=%x, weight=%w)
  %keys: f32[s0 + 1, 8] = aten::cat(tensors=[%scaled, %new])
  %mean: f32[1, 8] = aten::mean.dim(%keys, dim=[0], keepdim=true)
  %y: f32[1, 8] = aten::linear(input=%mean, weight=%w)
  return %y, %keys`;

test("memory and plans stay bounded however many sizes a program runs with", async () => {
  const backend = new WasmBackend();
  const executable = await backend.compile({
    program: programOf(STEP),
    weights: weightsOf({ w: someFloats(8, 8) }),
    registry: registryOf(),
  });
  const after = async (lengths: readonly number[]) => {
    for (const length of lengths) await executable.run([someFloats(1, 8), someFloats(length, 8)]);
    return await executable.memory();
  };
  const lengths = Array.from({ length: 60 }, (_, i) => 100 - i);
  const first = await after(lengths.slice(0, 20));
  const last = await after(lengths);
  expect(last.activations).toBe(first.activations);
  // Constants of a size live as long as its plan.
  expect(last.weights).toBeLessThanOrEqual(first.weights);
  const plans = (await executable.explain()).split("# ").length - 1;
  expect(plans).toBe(16);
  await backend.dispose();
});
