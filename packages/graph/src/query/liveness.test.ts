import { expect, it } from "vitest";
import { parseGraph } from "../text/parse-program.ts";
import { liveness } from "./liveness.ts";

const graph = parseGraph(`graph(%x: f32[2], %y: f32[2], %spare: f32[2]) {
  %a: f32[2] = aten::mul.Tensor(%x, other=%x)
  [%b: f32[1], %c: f32[1]] = aten::split.Tensor(%a, split_size=1)
  cond: %d: f32[2] = higher_order::cond(%b, graph t(%y: f32[2]) {
    %r: f32[2] = aten::relu(%y)
    return %r
  }, graph f(%y: f32[2]) {
    return %y
  }, [%y])
  return %d, [%a]
}`);

it("liveness finds last uses", () => {
  const { uses, lastUse, dies } = liveness(graph);
  expect(Object.fromEntries(uses)).toEqual({ x: 2, y: 1, spare: 0, a: 2, b: 1, c: 0, d: 1 });
  expect(Object.fromEntries(lastUse)).toEqual({ x: 0, y: 2, spare: -1, a: 3, b: 2, c: 1, d: 3 });
  expect(dies).toEqual([["x"], ["c"], ["y", "b"]]);
});
