import { type Program, parse, printGraph } from "@pt2/graph";
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

it("a normalization in training, which writes its statistics, is kept though nothing reads its result", async () => {
  const training = (flag: boolean): Promise<Program> =>
    prepare(
      parse(`program "TRAINING" torch "2.13.0" {
  buffer "m" = %m: f32[3]
  buffer "v" = %v: f32[3]
  user_input %x: f32[2, 3]
  %y: f32[2, 3] = aten::batch_norm(input=%x, weight=none, bias=none, running_mean=%m, running_var=%v, training=${flag}, momentum=0.1, eps=0.00001, cudnn_enabled=true)
  return %m
}
`),
      registry,
      { mutation: true },
    );
  expect((await training(true)).graph.nodes).toHaveLength(1);
  expect((await training(false)).graph.nodes).toHaveLength(0);
});

it("what PyTorch computes in its default dtype keeps that of the export", async () => {
  const { graph } = await prepare(
    parse(`program "TRAINING" torch "2.13.0" {
  user_input %x: i64[3]
  %ones: f64[3] = aten::ones(size=[3])
  %third: f64[3] = aten::div.Tensor(%x, other=3)
  return %ones, %third
}
`),
    registry,
  );
  expect(printGraph(graph, { origins: false })).toContain("aten::ones(size=[3], dtype=torch.float64)");
  expect(printGraph(graph, { origins: false })).toContain("aten::div.Tensor(%x_float, other=3)");
});
