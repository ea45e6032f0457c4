import { type Program, parse } from "@pt2/graph";
import { describe, expect, it } from "vitest";
import { depthFor, diagramOf, foldModules, toDot, toMermaid, toSvg } from "../index.ts";

/** A stem, `blocks` blocks of `length` ops with a sum around each, and a head. */
function deep(blocks: number, length: number): Program {
  const lines = ["%h0: f32[2] = aten::relu(%x)  # stem <torch.nn.ReLU>"];
  for (let b = 0; b < blocks; b++) {
    for (let i = 0; i < length; i++) {
      const from = i === 0 ? `%h${b}` : `%b${b}_${i - 1}`;
      lines.push(`%b${b}_${i}: f32[2] = aten::tanh(${from})  # layers.${b}.act${i} <torch.nn.Tanh>`);
    }
    lines.push(`%h${b + 1}: f32[2] = aten::add.Tensor(%h${b}, other=%b${b}_${length - 1})  # layers.${b} <net.Block>`);
  }
  return parse(`program {
    user_input %x: f32[2]
    ${lines.join("\n    ")}
    return %h${blocks}
  }`);
}

const titles = (program: Program, depth: number): readonly string[] =>
  diagramOf(program, { depth }).boxes.map(({ title }) => title);

describe("folding modules", () => {
  it("folding groups consecutive nodes of a module at the depth", () => {
    const program = deep(2, 3);
    expect(titles(program, 0)).toEqual(["x", "the whole model", "output"]);
    expect(titles(program, 1)).toEqual(["x", "relu", "layers", "output"]);
    expect(titles(program, 2)).toEqual(["x", "relu", "layers.0", "layers.1", "output"]);
    expect(titles(program, 3)).toHaveLength(2 + program.graph.nodes.length);
    const [, , block] = diagramOf(program, { depth: 2 }).boxes;
    expect(block).toMatchObject({ detail: "f32[2]", note: "Block, 4 nodes", nodes: 4, hint: "3 × tanh\nadd" });
  });

  it("a folded graph has no cycle where other nodes interrupt a module", () => {
    const program = parse(`program {
      user_input %x: f32[2]
      %a: f32[2] = aten::relu(%x)  # encoder.first
      %b: f32[2] = aten::relu(%a)  # encoder.second
      %c: f32[2] = aten::tanh(%b)
      %d: f32[2] = aten::add.Tensor(%b, other=%c)  # encoder.third
      %e: f32[2] = aten::relu(%d)  # encoder.first
      return %e
    }`);
    const { boxes, arrows } = diagramOf(program, { depth: 1 });
    expect(boxes.map(({ title }) => title)).toEqual(["x", "encoder", "tanh", "encoder", "output"]);
    const at = (id: string): number => boxes.findIndex((box) => box.id === id);
    expect(arrows.map(({ from, to }) => [at(from), at(to)])).toEqual([
      [0, 1],
      [1, 2],
      [1, 3],
      [2, 3],
      [3, 4],
    ]);
  });

  it("folding chooses the greatest depth that fits", () => {
    const program = deep(20, 30);
    expect(depthFor(program, 10_000)).toBeGreaterThan(2);
    expect(depthFor(program, 60)).toBe(2);
    expect(depthFor(program, 10_000, 500)).toBe(2);
    expect(depthFor(program, 5)).toBe(1);
    // Nodes without a module are not joined.
    const flat = parse("program {\n user_input %x: f32[2]\n %a: f32[2] = aten::relu(%x)\n return %a\n}");
    expect(depthFor(flat, 0)).toBe(1);
    expect(foldModules(flat.graph.nodes, 1)).toMatchObject([{ module: "", className: null }]);
  });

  it("a folded drawing of 621 nodes fits a screen and Mermaid's limit", () => {
    const program = deep(20, 30);
    expect(program.graph.nodes).toHaveLength(621);
    const depth = depthFor(program, 60, 500);
    const [, width = 0, height = 0] = /viewBox="0 0 (\d+) (\d+)"/.exec(toSvg(program, { depth }))!.map(Number);
    expect(width).toBeLessThan(1400);
    expect(height).toBeLessThan(900);
    expect(toMermaid(program, { depth }).match(/-->/g)!.length).toBeLessThan(500);
    expect(toMermaid(program, { depth })).toContain('n1[["layers.0<br/>f32#91;2#93;<br/>Block, 31 nodes"]]:::other');
    expect(toDot(program, { depth })).toContain("peripheries=2");
    const [, wide = 0, high = 0] = /viewBox="0 0 (\d+) (\d+)"/.exec(toSvg(program))!.map(Number);
    expect(high / wide).toBeLessThan(1.5);
  });
});
