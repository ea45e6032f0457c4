import type { Node } from "@pt2/graph";
import { expect, it } from "vitest";
import type { GraphBox } from "./boxes.ts";
import { layout } from "./layout.ts";
import { neighbor } from "./neighbors.ts";
import { search } from "./search.ts";
import { longestTime, timeOf, timesByNode } from "./times.ts";

const node = (name: string, op: string, modulePath = "", line = ""): Node => ({
  name,
  op,
  args: [],
  outputs: [],
  origin: { modulePath, line },
});
const box = (id: string, nodes: readonly Node[] = []): GraphBox => ({
  ...{ id, title: id, detail: "", family: "other", nodes, group: null },
});

const NODES = [
  node("conv2d", "aten::conv2d", "features.0", "net.py:12, in forward"),
  node("relu", "aten::relu", "features.1", "net.py:12, in forward"),
  node("linear", "aten::linear", "head", "net.py:20, in forward"),
];

it("the search finds nodes by all words of a query", () => {
  const names = (query: string) => search(NODES, query).map(({ name }) => name);
  expect(names("features")).toEqual(["conv2d", "relu"]);
  expect(names("RELU features")).toEqual(["relu"]);
  expect(names("net.py:20")).toEqual(["linear"]);
  expect(names("nothing")).toEqual([]);
  expect(names("  ")).toEqual([]);
});

it("the arrow keys follow edges up and down, and rows left and right", () => {
  const ids = ["in", "left", "right", "out"];
  const arrows = ["in left", "in right", "left out", "right out"].map((pair) => {
    const [from, to] = pair.split(" ");
    return { from: from!, to: to! };
  });
  const drawn = layout({ boxes: ids.map((id) => box(id)), arrows }, () => 50);
  const go = (from: string | null, direction: Parameters<typeof neighbor>[2]) =>
    neighbor(drawn, from, direction)?.box.id;
  expect(go(null, "down")).toBe("in");
  expect(go("left", "right")).toBe("right");
  expect(go("right", "right")).toBeUndefined();
  expect(["left", "right"]).toContain(go("in", "down"));
  expect(go("right", "down")).toBe("out");
  expect(go("left", "up")).toBe("in");
});

it("the times of steps are summed by node and by box", () => {
  const step = (name: string, ms: number) => ({ node: name, ops: [name], where: "", startMs: 0, ms });
  const times = timesByNode([step("relu", 1), step("linear", 2), step("relu", 3)]);
  expect(times.get("relu")).toBe(4);
  expect(timeOf(box("all", NODES), times)).toBe(6);
  expect(timeOf(box("none"), times)).toBe(0);
  expect(longestTime([{ box: box("all", NODES) }, { box: box("none") }], times)).toBe(6);
  expect(longestTime([], times)).toBeGreaterThan(0);
});
