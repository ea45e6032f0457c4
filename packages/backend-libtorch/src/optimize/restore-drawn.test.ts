import { expect, it } from "vitest";
import { dropCopies } from "./drop-copies.ts";
import { cpu, program, text } from "./passes.test-helper.ts";
import { restoreDrawn } from "./restore-drawn.ts";

it("restoreDrawn gives what numbers are drawn for the layout of the file, where it was rewritten", () => {
  const before = program(`user_input %x: f32[2, 3]
    %a: f32[2, 3] = aten::relu(%x)
    %t: f32[3, 2]{strides=[1, 3]} = aten::permute(%a, dims=[1, 0])
    %c: f32[3, 2] = aten::clone(%t, memory_format=torch.contiguous_format)
    %p: f32[2, 3]{strides=[1, 2]} = aten::permute(%c, dims=[1, 0])
    %d: f32[2, 3]{strides=[1, 2]}, %m: bool[2, 3]{strides=[1, 2]} = aten::native_dropout(%p, p=0.5, train=true)
    %e: f32[2, 3]{strides=[1, 2]} = aten::dropout(%p, p=0.5, train=false)
    %n: f32[2, 3] = aten::randn_like(%a)
    return %d, %m, %e, %n`);
  expect(restoreDrawn(before, before)).toBe(before);
  expect(text(restoreDrawn(dropCopies(before, cpu()), before))).toMatchInlineSnapshot(`
    "user_input %x: f32[2, 3]
    %a: f32[2, 3] = aten::relu(%x)
    %t: f32[3, 2]{strides=[1, 3]} = aten::permute(%a, dims=[1, 0])
    %p: f32[2, 3]{strides=[1, 2]} = aten::permute(%t, dims=[1, 0])
    %p_drawn: f32[3, 2] = aten::permute(%p, dims=[1, 0])
    %p_drawn_1: f32[3, 2] = aten::contiguous(%p_drawn)
    %p_drawn_2: f32[2, 3]{strides=[1, 2]} = aten::permute(%p_drawn_1, dims=[1, 0])
    %d: f32[2, 3]{strides=[1, 2]}, %m: bool[2, 3]{strides=[1, 2]} = aten::native_dropout(%p_drawn_2, p=0.5, train=true)
    %e: f32[2, 3]{strides=[1, 2]} = aten::dropout(%p, p=0.5, train=false)
    %n: f32[2, 3] = aten::randn_like(%a)
    return %d, %m, %e, %n"
  `);
});

it("restoreDrawn leaves out what matrix products return", () => {
  const before = program(`user_input %x: f32[2, 2]
    %y: f32[2, 2] = aten::mm(%x, mat2=%x)
    %n: f32[2, 2] = aten::randn_like(%y)
    return %n`);
  const other = { ...before, graph: { ...before.graph, nodes: before.graph.nodes.map((node) => ({ ...node })) } };
  expect(text(restoreDrawn(other, before))).toBe(text(before));
});
