import { elementsOf, floats, programOf, registryOf, weightsOf } from "@pt2/conformance";
import { expect, test } from "vitest";
import { WasmBackend } from "../backend.ts";

const weights = { w: floats([2, 2], 1, 2, 3, 4), v: floats([2], 10, 20) };

/** Runs a program with weights and returns its results and the plans. */
async function run(body: string, ...inputs: readonly ReturnType<typeof floats>[]) {
  const backend = new WasmBackend();
  const program = programOf(`parameter "w" = %w: f32[2, 2]\n  parameter "v" = %v: f32[2]\n  ${body.trim()}`);
  const executable = await backend.compile({ program, weights: weightsOf(weights), registry: registryOf() });
  const results: unknown[] = [];
  for (const input of inputs) results.push(...(await elementsOf(await executable.run([input]))));
  const plans = (await executable.explain()).split("\n").filter((line) => line.includes("arena"));
  await backend.dispose();
  return { results, plans: plans.map((line) => line.trim().split(":")[0]) };
}

test("branches read weights where they are, also those of branches inside, and may return them", async () => {
  const { results, plans } = await run(
    `
  user_input %x: f32[1, 2]
  %sum: f32[] = aten::sum(%x)
  %positive: bool[] = aten::gt.Scalar(%sum, other=0)
  cond: [%y: f32[1, 2], %z: f32[2]] = higher_order::cond(%positive, graph yes(%a: f32[1, 2], %b: f32[2, 2], %c: f32[2]) {
      %top: f32[] = aten::amax(%a)
      %large: bool[] = aten::gt.Scalar(%top, other=5)
      inner: [%d: f32[1, 2]] = higher_order::cond(%large, graph much(%e: f32[2, 2], %f: f32[1, 2]) {
          %g: f32[1, 2] = aten::linear(input=%f, weight=%e)
          return %g
        }, graph little(%h: f32[2, 2], %i: f32[1, 2]) {
          %j: f32[1, 2] = aten::neg(%i)
          return %j
        }, [%b, %a])
      return %d, %c
    }, graph no(%k: f32[1, 2], %l: f32[2, 2], %m: f32[2]) {
      %n: f32[1, 2] = aten::linear(input=%k, weight=%l, bias=%m)
      %o: f32[2] = aten::neg(%m)
      return %n, %o
    }, [%x, %w, %v])
  return %y, %z`,
    floats([1, 2], 6, 1),
    floats([1, 2], 1, 2),
    floats([1, 2], -1, -1),
    floats([1, 2], 6, 1),
  );
  const [yes, no] = [
    [10, 20],
    [-10, -20],
  ];
  expect(results).toEqual([[8, 22], yes, [-1, -2], yes, [7, 13], no, [8, 22], yes]);
  // No plan is given a weight.
  expect(plans.filter((plan) => plan?.includes("2,2") || plan?.includes("float32[2]"))).toEqual([
    "# float32[1,2];float32[2]",
  ]);
});

test("loops read weights where they are, and what they carry is copied", async () => {
  const { results } = await run(
    `
  user_input %x: f32[2]
  while_loop: [%y: f32[2]] = higher_order::while_loop(graph more(%a: f32[2], %b: f32[2]) {
      %top: f32[] = aten::amax(%a)
      %c: bool[] = aten::lt.Scalar(%top, other=50)
      return %c
    }, graph body(%d: f32[2], %e: f32[2]) {
      %f: f32[2] = aten::add.Tensor(%d, other=%e)
      return %f
    }, [%v], [%v])
  %z: f32[2] = aten::add.Tensor(%y, other=%x)
  return %z, %v`,
    floats([2], 1, 2),
    floats([2], 3, 4),
  );
  expect(results).toEqual([
    [31, 62],
    [10, 20],
    [33, 64],
    [10, 20],
  ]);
});
