import { expect, it } from "vitest";
import { parseGraph } from "../text/parse-program.ts";
import { stats, walk } from "./walk-graph.ts";

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

it("walk enters nested graphs", () => {
  const seen: string[] = [];
  walk(graph, (node, _, path) => seen.push([...path, node.op].join("/")));
  expect(seen).toEqual(["aten::mul.Tensor", "aten::split.Tensor", "higher_order::cond", "t/aten::relu"]);
});

it("stats counts operators", () => {
  expect(stats(graph).map(({ op, count }) => `${op} ${count}`)[0]).toBe("aten::mul.Tensor 1");
  expect(stats(graph)).toHaveLength(4);
});
