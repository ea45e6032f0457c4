import { expect, it } from "vitest";
import type { Program } from "../ir.ts";
import { expectPass, program } from "../program.test-helper.ts";
import { drawInMemoryOrder as pass, type TensorLayout } from "./draw-in-memory-order.ts";
import { hasDraws } from "./random-draws.ts";

const drawInMemoryOrder = (given: Program): Program => pass(given, "contiguous");

it("drawInMemoryOrder permutes tensors that lie in memory in another order than that of their dimensions", () => {
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

it("drawInMemoryOrder permutes parts of tensors, and probabilities with the elements that they belong to", () => {
  expectPass(
    drawInMemoryOrder,
    `user_input %x: f32[s0, 3, 4]{strides=[60, 1, 5]}
     user_input %p: f32[4]
     %y: f32[s0, 3, 4]{strides=[60, 1, 5]} = aten::bernoulli_.Tensor(%x, p=%p)
     return %x`,
    `user_input %x: f32[s0, 3, 4]{strides=[60, 1, 5]}
     user_input %p: f32[4]
     %permute: f32[s0, 4, 3]{strides=[60, 5, 1]} = aten::permute(%x, dims=[0, 2, 1])
     %unsqueeze: f32[1, 4] = aten::unsqueeze(%p, dim=0)
     %unsqueeze_1: f32[1, 1, 4] = aten::unsqueeze(%unsqueeze, dim=0)
     %permute_1: f32[1, 4, 1]{strides=[4, 1, 4]} = aten::permute(%unsqueeze_1, dims=[0, 2, 1])
     y_2: %y_1: f32[s0, 4, 3]{strides=[60, 5, 1]} = aten::bernoulli_.Tensor(%permute, p=%permute_1)
     %y: f32[s0, 3, 4]{strides=[60, 1, 5]} = aten::permute(%y_1, dims=[0, 2, 1])
     return %x`,
  );
});

it("drawInMemoryOrder draws normal numbers one by one where a tensor is not contiguous", () => {
  expectPass(
    drawInMemoryOrder,
    `user_input %x: f32[2, u0, 3]{strides=[3*Max(1, u0), 1, Max(1, u0)]}
     user_input %b: f32[4, 3]{strides=[5, 1]}
     %y: f64[2, u0, 3]{strides=[3*Max(1, u0), 1, Max(1, u0)]} = aten::randn_like(%x, dtype=torch.float64)
     %z: f32[4, 3]{strides=[5, 1]} = aten::normal_(%b, mean=1.0, std=2.0)
     return %y, %z`,
    `user_input %x: f32[2, u0, 3]{strides=[3*Max(1, u0), 1, Max(1, u0)]}
     user_input %b: f32[4, 3]{strides=[5, 1]}
     %permute: f32[2, 3, u0]{strides=[3*Max(1, u0), Max(1, u0), 1]} = aten::permute(%x, dims=[0, 2, 1])
     %normal: f64[2, 3, u0]{strides=[3*Max(1, u0), Max(1, u0), 1]} = pt2::normal(%permute, dtype=torch.float64)
     %y: f64[2, u0, 3]{strides=[3*Max(1, u0), 1, Max(1, u0)]} = aten::permute(%normal, dims=[0, 2, 1])
     %permute_1: f32[4, 3]{strides=[5, 1]} = aten::permute(%b, dims=[0, 1])
     %normal_1: f32[4, 3]{strides=[5, 1]} = pt2::normal(%permute_1, mean=1.0, std=2.0, dtype=torch.float32)
     %permute_2: f32[4, 3]{strides=[5, 1]} = aten::permute(%normal_1, dims=[0, 1])
     %z: f32[4, 3]{strides=[5, 1]} = aten::copy_(%b, src=%permute_2)
     return %y, %z`,
  );
});

it("drawInMemoryOrder keeps contiguous tensors, tensors that are not dense, and ops that draw nothing", () => {
  const kept = program(`user_input %x: f32[2, 3]{strides=[1, 2]}
    %a: f32[2, 3] = aten::rand_like(%x, memory_format=torch.contiguous_format)
    %b: f32[2, 3]{strides=[0, 1]} = aten::uniform_(%x)
    %c: f32[2, 3]{strides=[1, 2]} = aten::dropout(input=%x, p=0.5, train=false)
    %d: f32[2, 3]{strides=[1, 2]} = aten::exp(%x)
    %e: f32[0, 3]{strides=[1, 2]} = aten::uniform(%x)
    return %d`);
  expect(drawInMemoryOrder(kept)).toBe(kept);
  expect(hasDraws(kept.graph)).toBe(true);
  expect(hasDraws({ ...kept.graph, nodes: kept.graph.nodes.slice(2, 4) })).toBe(false);
});

it("drawInMemoryOrder for strided tensors reorders ops whose functional variants draw in another order, and no normal numbers", () => {
  const given = program(`user_input %x: f32[2, 3]{strides=[1, 2]}
    %n: f32[2, 3]{strides=[1, 2]} = aten::normal_(%x)
    %y: f32[2, 3]{strides=[1, 2]} = aten::bernoulli_.float(%x)
    return %y`);
  const ops = (layout: TensorLayout): readonly string[] => pass(given, layout).graph.nodes.map((node) => node.op);
  expect(ops("strided")).toEqual(["aten::normal_", "aten::permute", "aten::bernoulli_.float", "aten::permute"]);
  expect(ops("contiguous")).toContain("pt2::normal");
});

it("drawInMemoryOrder for unknown layouts draws normal numbers for a tensor that lies as recorded", () => {
  expectPass(
    (given) => pass(given, "unknown"),
    `user_input %x: f32[2, s0, 3]{strides=[3*s0, 1, s0]}
     user_input %b: f32[4, 3]{strides=[5, 1]}
     %y: f64[2, s0, 3]{strides=[3*s0, 1, s0]} = aten::randn_like(%x, dtype=torch.float64)
     %z: f32[2, s0, 3]{strides=[3*s0, 1, s0]} = aten::normal_(%x, std=2.0)
     %kept: f32[4, 3]{strides=[5, 1]} = aten::normal_(%b)
     return %y, %z`,
    `user_input %x: f32[2, s0, 3]{strides=[3*s0, 1, s0]}
     user_input %b: f32[4, 3]{strides=[5, 1]}
     %detach: f32[2, s0, 3]{strides=[3*s0, 1, s0]} = aten::detach(%x)
     %permute: f32[2, 3, s0] = aten::permute(%detach, dims=[0, 2, 1])
     %empty_like: f32[2, 3, s0] = aten::empty_like(%permute, memory_format=torch.contiguous_format)
     %permute_1: f32[2, s0, 3]{strides=[3*s0, 1, s0]} = aten::permute(%empty_like, dims=[0, 2, 1])
     %y: f64[2, s0, 3]{strides=[3*s0, 1, s0]} = aten::randn_like(%permute_1, dtype=torch.float64)
     %detach_1: f32[2, s0, 3]{strides=[3*s0, 1, s0]} = aten::detach(%x)
     %permute_2: f32[2, 3, s0] = aten::permute(%detach_1, dims=[0, 2, 1])
     %empty_like_1: f32[2, 3, s0] = aten::empty_like(%permute_2, memory_format=torch.contiguous_format)
     %permute_3: f32[2, s0, 3]{strides=[3*s0, 1, s0]} = aten::permute(%empty_like_1, dims=[0, 2, 1])
     %normal_functional: f32[2, s0, 3]{strides=[3*s0, 1, s0]} = aten::normal_functional(%permute_3, std=2.0)
     %z: f32[2, s0, 3]{strides=[3*s0, 1, s0]} = aten::copy_(%x, src=%normal_functional)
     %kept: f32[4, 3]{strides=[5, 1]} = aten::normal_(%b)
     return %y, %z`,
  );
});

it("drawInMemoryOrder factors a matrix as it is where it is not contiguous, and determinants of others stay", () => {
  expectPass(
    drawInMemoryOrder,
    `user_input %x: f32[3, 3]{strides=[1, 3]}
     user_input %y: f32[3, 3]
     a: %sign: f32[], %log: f32[], %lu: f32[3, 3]{strides=[1, 3]}, %pivots: i32[3] = aten::_linalg_slogdet(A=%x)
     b: %det: f32[], %lu_1: f32[3, 3]{strides=[1, 3]}, %pivots_1: i32[3] = aten::_linalg_det(A=%y)
     return %log, %lu, %pivots, %det, %lu_1`,
    `user_input %x: f32[3, 3]{strides=[1, 3]}
     user_input %y: f32[3, 3]
     a: %sign: f32[], %log: f32[] = aten::linalg_slogdet(A=%x)
     factors: %lu: f32[3, 3]{strides=[1, 3]}, %pivots: i32[3], %info: i32[] = aten::linalg_lu_factor_ex(A=%x)
     b: %det: f32[], %lu_1: f32[3, 3]{strides=[1, 3]}, %pivots_1: i32[3] = aten::_linalg_det(A=%y)
     return %log, %lu, %pivots, %det, %lu_1`,
  );
});

it("drawInMemoryOrder draws the times by which multinomial chooses as the weights lie in memory", () => {
  expectPass(
    drawInMemoryOrder,
    `user_input %x: f32[5, 3]{strides=[1, 5]}
     %y: i64[5, 2] = aten::multinomial(%x, num_samples=2)
     %z: i64[5, 2] = aten::multinomial(%x, num_samples=2, replacement=true)
     return %y, %z`,
    `user_input %x: f32[5, 3]{strides=[1, 5]}
     %permute: f32[3, 5] = aten::permute(%x, dims=[1, 0])
     %exponential: f32[3, 5] = aten::exponential(%permute)
     %permute_1: f32[5, 3]{strides=[1, 5]} = aten::permute(%exponential, dims=[1, 0])
     %y: i64[5, 2] = pt2::multinomial(%x, waits=%permute_1, num_samples=2)
     %z: i64[5, 2] = aten::multinomial(%x, num_samples=2, replacement=true)
     return %y, %z`,
  );
});
