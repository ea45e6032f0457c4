import { expect, test } from "vitest";
import { Emitter } from "../../lower/emit.ts";
import { createRegistry } from "../../user-ops/create-registry.ts";
import { aten } from "../aten-ops.ts";
import { decode } from "../op-rows.test-helper.ts";

const registry = createRegistry({ sets: [aten] });

// PyTorch's kernels refuse these, where those for meta tensors accept them.
test.each([
  ["no dimensions", ["0,4", "0,4", ""], "same batch size and 4 dimensions"],
  ["coordinates of three numbers", ["1,2,3,4", "1,2,5,6", "1,3,4,3"], "size 2 in last dimension"],
  ["an image without pixels", ["1,2,3,4", "1,2,0,6", "1,3,4,2"], "non-empty spatial dimensions"],
  ["batches of two sizes", ["2,2,3,4", "2,2,5,6", "1,3,4,2"], "same batch size"],
  ["gradients of another result", ["1,2,3,5", "1,2,5,6", "1,3,4,2"], "grad_output must have sizes [1, 2, 3, 4]"],
] as const)("the gradient of grid sampling is refused for %s", (_, [gradient, image, places], message) => {
  const float32 = (sizes: string) => decode(`float32:${sizes}`);
  const tensors = { grad_output: float32(gradient), input: float32(image), grid: float32(places) };
  const args = { ...tensors, interpolation_mode: 0, padding_mode: 0, align_corners: false, output_mask: [true, true] };
  const emitter = new Emitter(registry, { name: "test", isNative: (op) => !op.includes("grid_sampler") });
  const node = { name: "n", op: "aten::grid_sampler_2d_backward", args: [], outputs: [], origin: {} };
  expect(() => emitter.emit(node.op, args, node)).toThrow(message);
});
