import type { Node } from "@pt2/graph";
import { expect, it } from "vitest";
import { groupsAround, groupsOf, type Item, moduleTree, openWithin } from "./module-tree.ts";

/** Nodes named by their index, from their module paths. */
function nodes(...paths: readonly string[]): readonly Node[] {
  return paths.map((modulePath, i) => ({
    name: `n${i}`,
    op: "aten::relu",
    args: [],
    outputs: [],
    origin: { modulePath, moduleClass: `torch.nn.${modulePath.split(".").length > 1 ? "ReLU" : "Sequential"}` },
  }));
}

function text(item: Item): string {
  return item.kind === "leaf" ? item.node.name : `${item.path}(${item.items.map(text).join(" ")})`;
}

it("moduleTree groups consecutive nodes of a module", () => {
  const tree = moduleTree(nodes("a.x", "a.x", "a.y", "", "b", "b"));
  expect(tree.map(text)).toEqual(["a(a.x(n0 n1) n2)", "n3", "b(n4 n5)"]);
});

it("moduleTree keeps two calls of a module apart", () => {
  const tree = moduleTree(nodes("a", "a", "b", "a", "a"));
  expect(tree.map(text)).toEqual(["a(n0 n1)", "n2", "a(n3 n4)"]);
  expect(new Set(groupsOf(tree).map(({ id }) => id)).size).toBe(2);
});

it("moduleTree creates no group for a single node", () => {
  expect(moduleTree(nodes("a.b.c", "a.b.c", "d.e")).map(text)).toEqual(["a.b.c(n0 n1)", "n2"]);
});

it("moduleTree records the class of a module with direct nodes", () => {
  const [first] = moduleTree(nodes("a", "a.x", "a.x"));
  expect(first).toMatchObject({ path: "a", className: "Sequential", count: 3 });
});

it("groupsAround finds the groups of a node", () => {
  const tree = moduleTree(nodes("a.x", "a.x", "a.y", "b"));
  expect(groupsAround(tree, "n1").map(({ path }) => path)).toEqual(["a", "a.x"]);
  expect(groupsAround(tree, "n3")).toEqual([]);
});

it("openWithin opens whole levels within the limit", () => {
  const tree = moduleTree(nodes("a.x", "a.x", "a.y", "a.y", "b", "b"));
  expect(openWithin(tree, 2).size).toBe(0);
  expect([...openWithin(tree, 4)]).toEqual(["a@n0", "b@n4"]);
  expect(openWithin(tree, 6).size).toBe(4);
});
