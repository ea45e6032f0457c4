import { expect, it } from "vitest";
import { expectPass, program } from "../program.test-helper.ts";
import { drawInMemoryOrder } from "./draw-in-memory-order.ts";
import { hasDraws } from "./random-draws.ts";

it("drawInMemoryOrder permutes what lies in memory in another order than that of its dimensions", () => {
  expectPass(
    drawInMemoryOrder,
    `user_input %x: f32[2, s0, 3]{strides=[3*s0, 1, s0]}
     %y: f32[2, s0, 3]{strides=[3*s0, 1, s0]} = aten::dropout(input=%x, p=0.5, train=true)
     return %y`,
    `user_input %x: f32[2, s0, 3]{strides=[3*s0, 1, s0]}
     %permute: f32[2, 3, s0] = aten::permute(%x, dims=[0, 2, 1])
     y_2: %y_1: f32[2, 3, s0] = aten::dropout(input=%permute, p=0.5, train=true)
     %y: f32[2, s0, 3]{strides=[3*s0, 1, s0]} = aten::permute(%y_1, dims=[0, 2, 1])
     return %y`,
  );
});

it("drawInMemoryOrder permutes all results back", () => {
  expectPass(
    drawInMemoryOrder,
    `user_input %x: f32[2, 3, 5, 1]{strides=[1, 2, 6, 1]}
     both: %y: f32[2, 3, 5, 1]{strides=[1, 2, 6, 1]}, %kept: bool[2, 3, 5, 1]{strides=[1, 2, 6, 1]} = aten::native_dropout(input=%x, p=0.5, train=true)
     return %y`,
    `user_input %x: f32[2, 3, 5, 1]{strides=[1, 2, 6, 1]}
     %permute: f32[5, 3, 2, 1] = aten::permute(%x, dims=[2, 1, 0, 3])
     both_1: %y_1: f32[5, 3, 2, 1], %kept_1: bool[5, 3, 2, 1] = aten::native_dropout(input=%permute, p=0.5, train=true)
     %y: f32[2, 3, 5, 1]{strides=[1, 2, 6, 1]} = aten::permute(%y_1, dims=[2, 1, 0, 3])
     %kept: bool[2, 3, 5, 1]{strides=[1, 2, 6, 1]} = aten::permute(%kept_1, dims=[2, 1, 0, 3])
     return %y`,
  );
});

it("drawInMemoryOrder keeps contiguous tensors, what is not dense, and ops that draw nothing", () => {
  const kept = program(`user_input %x: f32[2, 3]{strides=[1, 2]}
    %a: f32[2, 3] = aten::rand_like(%x, memory_format=torch.contiguous_format)
    %b: f32[2, 3]{strides=[2, 5]} = aten::uniform_(%x)
    %c: f32[2, 3]{strides=[1, 2]} = aten::dropout(input=%x, p=0.5, train=false)
    %d: f32[2, 3]{strides=[1, 2]} = aten::exp(%x)
    %e: f32[0, 3]{strides=[1, 2]} = aten::uniform(%x)
    return %d`);
  expect(drawInMemoryOrder(kept)).toBe(kept);
  expect(hasDraws(kept.graph)).toBe(true);
  expect(hasDraws({ ...kept.graph, nodes: kept.graph.nodes.slice(2, 4) })).toBe(false);
});
