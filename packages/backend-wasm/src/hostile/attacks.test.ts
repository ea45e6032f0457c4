import { hostTensor, type Value } from "@pt2/backend";
import { parse } from "@pt2/graph";
import { createRegistry } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { expect, test } from "vitest";
import { WasmBackend } from "../backend.ts";

const registry = createRegistry({ sets: [aten] });
const backend = new WasmBackend();
const x = hostTensor("float32", [4], Float32Array.of(1, 2, 3, 4));

async function run(body: string, inputs: readonly Value[] = [x]): Promise<readonly Value[]> {
  const program = parse(`program { user_input %x: f32[4] ${body} }`);
  const executable = await backend.compile({ program, weights: new Map(), registry });
  return executable.run(inputs);
}

test.each([
  ["a tensor of 4 TB", "%y: f32[1] = aten::full(size=[1000000, 1000000], fill_value=1.0)", "registry.limit"],
  ["a range of 10^12", "%y: i64[1] = aten::arange(end=1000000000000)", "registry.limit"],
  ["an expansion to 10^12", "%y: f32[1] = aten::expand(%x, size=[250000000000, 4])", "registry.limit"],
  ["a repetition of 10^12", "%y: f32[1] = aten::repeat(%x, repeats=[1000000000000])", "registry.limit"],
  ["padding of 10^12", "%y: f32[1] = aten::constant_pad_nd(%x, pad=[0, 1000000000000])", "registry.limit"],
  ["strides beyond the tensor", "%y: f32[1] = aten::as_strided(%x, size=[4], stride=[65536])", "registry.argument"],
  [
    "an offset beyond the tensor",
    "%y: f32[1] = aten::as_strided(%x, size=[1], stride=[1], storage_offset=9)",
    "registry.argument",
  ],
  ["a selection beyond the tensor", "%y: f32[1] = aten::select.int(%x, dim=0, index=4)", "registry.argument"],
])("%s is refused with the op, and the backend stays usable", async (_, node, code) => {
  await expect(run(`${node} return %y`)).rejects.toMatchObject({ code, where: expect.stringContaining("aten::") });
  const [sum] = await run("%y: f32[4] = aten::add.Tensor(%x, other=%x) return %y");
  expect((sum as { data: Float32Array }).data).toEqual(Float32Array.of(2, 4, 6, 8));
});

test("inputs that lie about their length write past nothing", async () => {
  const liar = { ...x, shape: [2] };
  const body = "%y: f32[4] = aten::add.Tensor(%x, other=%x) return %y";
  await expect(run(body, [liar])).rejects.toMatchObject({ code: "wasm.input" });
  await expect(run(body, [])).rejects.toMatchObject({ code: "wasm.input" });
});
