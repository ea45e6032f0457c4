import { parse } from "@pt2/graph";
import { createRegistry, type LoweredTensor, lower } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { expect, test } from "vitest";
import { fuse, type Step } from "./fuse.ts";

const registry = createRegistry({ sets: [aten] });

/** Lowers a body in which `mm` is native, and fuses it. */
async function fused(body: string, takesEpilogue = true): Promise<readonly string[]> {
  const { graph } = parse(`program "TRAINING" torch "2.13.0" {
  forward()
  ${body.trim()}
}
`);
  const inputs = new Map(
    graph.inputs.map((name): [string, LoweredTensor] => {
      const type = graph.values.get(name!);
      const shape = type?.kind === "tensor" ? type.shape.map(Number) : [];
      return [name!, { name: name!, dtype: "float32", shape }];
    }),
  );
  const target = { name: "test", isNative: (op: string) => op === "aten::mm" };
  const stage = await lower(graph, inputs, {
    registry,
    target,
    handlerContext: () => ({ backend: "test", initial: () => undefined }),
  });
  return fuse(stage.calls, { live: stage.live, takesEpilogue: () => takesEpilogue }).map(shown);
}

/** Formats a step as `kind: op + op (reads)`. */
function shown(step: Step): string {
  const ops = (calls: readonly { readonly record: { readonly name: string } }[]): string =>
    calls.map(({ record }) => record.name.slice(6)).join(" + ");
  const reads = (inputs: readonly LoweredTensor[]): string => inputs.map(({ name }) => name).join(", ");
  if (step.kind === "call") return ops([step.call]);
  const group = `${ops(step.group.calls)} (${reads(step.group.inputs)})`;
  return step.kind === "elementwise" ? group : `${ops([step.call])} then ${group}`;
}

test("a chain of elementwise ops is one loop", async () => {
  const steps = await fused(`
  user_input %x: f32[2, 3]
  user_input %y: f32[3]
  %a: f32[2, 3] = aten::add.Tensor(self=%x, other=%y)
  %b: f32[2, 3] = aten::sigmoid(%a)
  %c: f32[2, 3] = aten::mul.Tensor(self=%a, other=%b)
  return %c`);
  // %a is read twice, but by members of the same loop, so it is still computed inside.
  expect(steps).toEqual(["add.Tensor + sigmoid + mul.Tensor (x, y)"]);
});

test("a chain in which each value is read twice is cut where it gets too long, and keeps every op", async () => {
  const squares = Array.from(
    { length: 30 },
    (_, i) => `%x${i + 1}: f32[2] = aten::mul.Tensor(self=%x${i}, other=%x${i})`,
  );
  const steps = await fused(["user_input %x0: f32[2]", ...squares, "return %x30"].join("\n  "));
  expect(steps.map((step) => step.slice(step.indexOf("(")))).toEqual(["(x0, x0)", "(x6, x6)"]);
});

test("a value with another reader is computed on its own", async () => {
  const steps = await fused(`
  user_input %x: f32[2, 3]
  %a: f32[2, 3] = aten::exp(%x)
  %b: f32[2, 3] = aten::neg(%a)
  return %a, %b`);
  expect(steps).toEqual(["exp (x)", "neg (a)"]);
});

test("loops over different shapes are not fused", async () => {
  const steps = await fused(`
  user_input %x: f32[3]
  user_input %y: f32[2, 3]
  %a: f32[3] = aten::exp(%x)
  %b: f32[2, 3] = aten::add.Tensor(self=%y, other=%a)
  return %b`);
  expect(steps).toEqual(["exp (x)", "add.Tensor (y, a)"]);
});

test("a loop over the fresh result of a heavy op becomes its epilogue, where the backend takes one", async () => {
  const body = `
  user_input %x: f32[2, 3]
  user_input %w: f32[3, 5]
  user_input %r: f32[2, 5]
  %m: f32[2, 5] = aten::mm(self=%x, mat2=%w)
  %s: f32[2, 5] = aten::add.Tensor(self=%m, other=%r)
  %y: f32[2, 5] = aten::relu(%s)
  return %y`;
  expect(await fused(body)).toEqual(["mm then add.Tensor + relu (m, r)"]);
  expect(await fused(body, false)).toEqual(["mm", "add.Tensor + relu (m, r)"]);
});

test("a value without readers is not computed", async () => {
  const steps = await fused(`
  user_input %x: f32[2, 3]
  %a: f32[2, 3] = aten::exp(%x)
  %b: f32[2, 3] = aten::neg(%x)
  return %b`);
  expect(steps).toEqual(["neg (x)"]);
});
