import { parse, printGraph } from "@pt2/graph";
import { createRegistry } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { expect, it } from "vitest";
import { prepare } from "./prepare.ts";

const registry = createRegistry({ sets: [aten] });
const program = parse(`program "TRAINING" torch "2.13.0" {
  buffer "b" = %b: f32[3]
  user_input %x: f32[3]
  %same: f32[3] = aten::alias(%b)
  %row: f32[3] = aten::view(%same, size=[3])
  %dead: f32[3] = aten::neg(%x)
  %written: f32[3] = aten::add_.Tensor(%row, other=%x)
  %copy: f32[3] = aten::lift_fresh_copy(%x)
  %other: f32[3] = my::writes(%copy)
  mine: my::check(%x)
  return %b, %copy
}
`);

it("preparing for a backend with mutation removes aliases and dead code, and keeps writes, copies and unknown ops", async () => {
  const { graph, outputs } = await prepare(program, registry, { mutation: true });
  expect(outputs.map(({ kind }) => kind)).toEqual(["user_output", "user_output"]);
  expect(printGraph(graph, { origins: false })).toBe(`graph(%b: f32[3], %x: f32[3]) {
  %written: f32[3] = aten::add_.Tensor(%b, other=%x)
  %copy: f32[3] = aten::lift_fresh_copy(%x)
  %other: f32[3] = my::writes(%copy)
  mine: my::check(%x)
  return %b, %copy
}
`);
});
