import { expect, it } from "vitest";
import { parse } from "../../text/parse-program.ts";
import { printGraph } from "../../text/print-program.ts";
import { expandAutoFunctionalized, type OpEffectsOnDemand } from "./expand-auto-functionalized.ts";

const registry = (mutates?: readonly string[]): OpEffectsOnDemand => ({
  load: async () => {},
  effectsOf: () => (mutates === undefined ? undefined : { mutates, aliases: [] }),
});

async function expanded(body: string, mutates?: readonly string[]): Promise<readonly string[]> {
  const { graph } = await expandAutoFunctionalized(parse(`program {\n${body}\n}`), registry(mutates));
  return printGraph(graph, { origins: false })
    .trim()
    .split("\n")
    .slice(1, -1)
    .map((line) => line.trim());
}

it("copies what is written to, under the name of what is returned", async () => {
  const lines = await expanded(`
    user_input %x: f32[4, 3]
    user_input %y: f32[4, 3]
    call: none, %z: f32[4, 3] = higher_order::auto_functionalized_v2(&mine::add, y=%y, _x_base_index=0, _all_bases=[%x])
    return %z`);
  expect(lines).toEqual(["%z: f32[4, 3] = aten::clone(%x)", "call: mine::add(y=%y, x=%z)", "return %z"]);
});

it("views copies where views were written to", async () => {
  const lines = await expanded(`
    user_input %x: f32[4, 3]
    call: %s: f32[], %z: f32[4, 3] = higher_order::auto_functionalized_v2(&mine::scale, k=2.0, _x_base_index=0, _x_slice_dim=0, _x_slice_start=1, _x_slice_end=4, _y_base_index=0, _y_size=[3], _y_stride=[1], _y_storage_offset=6, _w_base_index=none, _all_bases=[%x])
    return %z, %s`);
  expect(lines).toEqual([
    "%z: f32[4, 3] = aten::clone(%x)",
    "%call_view: f32[3, 3]{offset=3} = aten::slice.Tensor(%z, dim=0, start=1, end=4)",
    "%call_view_1: f32[3]{offset=6} = aten::as_strided(%z, size=[3], stride=[1], storage_offset=6)",
    "call: %s: f32[] = mine::scale(k=2.0, x=%call_view, y=%call_view_1, w=none)",
    "return %z, %s",
  ]);
});

it("lists what is written to in lists", async () => {
  const lines = await expanded(`
    user_input %x: f32[4]
    user_input %y: f32[2]
    call: none, %a: f32[4], %b: f32[2] = higher_order::auto_functionalized_v2(&mine::all, _ys_length=2, _ys_0_base_index=1, _ys_1_base_index=0, _all_bases=[%x, %y])
    return %a, %b`);
  expect(lines).toEqual([
    "%a: f32[4] = aten::clone(%x)",
    "%b: f32[2] = aten::clone(%y)",
    "call: mine::all(ys=[%b, %a])",
    "return %a, %b",
  ]);
});

it("takes what the first form writes to from the schema, and leaves it where that is unknown", async () => {
  const body = `
    user_input %x: f32[4]
    user_input %y: f32[4]
    call: none, %z: f32[4], %w: f32[4] = higher_order::auto_functionalized(&mine::add, x=%x, y=[%y], k=2)
    return %z, %w`;
  expect(await expanded(body, ["x", "y"])).toEqual([
    "%z: f32[4] = aten::clone(%x)",
    "%w: f32[4] = aten::clone(%y)",
    "call: mine::add(x=%z, y=[%w], k=2)",
    "return %z, %w",
  ]);
  expect((await expanded(body))[0]).toMatch(/higher_order::auto_functionalized\(/);
});
