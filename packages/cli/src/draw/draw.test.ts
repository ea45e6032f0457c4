import { parse } from "@pt2/graph";
import { describe, expect, it } from "vitest";
import { diagramOf, toDot, toMermaid, toSvg } from "../index.ts";
import { layer } from "./layers.ts";
import { FIXTURES, fixture } from "./programs.test-helper.ts";

describe("drawings", () => {
  it.each(FIXTURES)("a drawing of %s has its expected text", async (path) => {
    const program = await fixture(path);
    const { boxes, arrows } = diagramOf(program);
    const ids = new Set(boxes.map(({ id }) => id));
    expect(boxes.filter(({ family }) => family !== "input" && family !== "output")).toHaveLength(
      program.graph.nodes.length,
    );
    expect(arrows.every(({ from, to }) => ids.has(from) && ids.has(to))).toBe(true);
    expect(toSvg(program).match(/<rect /g)!.length).toBeGreaterThanOrEqual(boxes.length);
    expect(toDot(program)).toMatch(/^digraph/);
    expect(toMermaid(program)).toMatch(/^flowchart TD/);
  });

  it("Mermaid and dot drawings contain nested graphs", async () => {
    const program = await fixture("torch-2.13/cond.pt2");
    expect(toMermaid(program)).toContain('n2["cond<br/>f32#91;3, 2#93;"]:::control');
    expect(toMermaid(program)).toContain('subgraph n2_s0["cond.true_graph_0"]');
    expect(toDot(program)).toContain("subgraph cluster_n2_1 {");
    expect(toDot(program)).toContain("in0 -> n0;");
  });

  it("the boxes of an SVG do not overlap", async () => {
    const svg = toSvg(await fixture("torch-2.13/lstm_aten.pt2"));
    const rects = [...svg.matchAll(/<rect x="(\S+)" y="(\S+)" width="(\S+)"/g)].map((m) => m.slice(1).map(Number));
    const clash = rects.some(([x, y, width], i) =>
      rects.slice(i + 1).some((other) => other[1] === y && other[0]! < x! + width! && x! < other[0]! + other[2]!),
    );
    expect(clash).toBe(false);
  });

  it("a drawing shows the literal arguments of nodes", () => {
    const program = parse(`program {
      user_input %x: f32[1, 3, 8, 8]
      parameter "w" = %w: f32[4, 3, 3, 3]
      %c: f32[1, 4, 4, 4] = aten::conv2d(input=%x, weight=%w, bias=none, stride=[2, 2], padding=[1, 0])
      %m: f32[1, 4] = aten::mean.dim(%c, dim=[2, 3])
      %s: f32[1, 4] = aten::softmax.int(%m, dim=-1)
      %r: f32[1, 4] = aten::relu(%s)
      return %r
    }`);
    const notes = diagramOf(program).boxes.map(({ note }) => note);
    expect(notes).toEqual(["", "stride 2, padding [1, 0]", "dim [2, 3]", "dim -1", "", ""]);
  });

  it("the layout assigns layers by the longest path and routes arrows around boxes", () => {
    const { layers, routes } = layer(
      ["a", "b", "w", "c"],
      [
        { from: "a", to: "b" },
        { from: "b", to: "c" },
        { from: "a", to: "c" },
        { from: "w", to: "c" },
      ],
    );
    expect(
      layers.map((slots) =>
        slots
          .filter(({ isBend }) => !isBend)
          .map(({ id }) => id)
          .sort(),
      ),
    ).toEqual([["a"], ["b", "w"], ["c"]]);
    expect(routes[2]).toHaveLength(3);
  });

  it("the layout places nodes that depend on one source alone near their use", () => {
    const arrows = ["a>b", "b>c", "c>d", "d>e", "w>v", "v>e", "a>s", "s>e"].map((pair) => {
      const [from, to] = pair.split(">");
      return { from: from!, to: to! };
    });
    const { layers } = layer(["a", "b", "c", "d", "w", "v", "s", "e"], arrows);
    const layerOf = (id: string): number => layers.findIndex((slots) => slots.some((slot) => slot.id === id));
    expect(["w", "v", "e"].map(layerOf)).toEqual([2, 3, 4]);
    // The value `a` has other uses: moving it would only lengthen other arrows.
    expect(layerOf("s")).toBe(1);
  });
});
