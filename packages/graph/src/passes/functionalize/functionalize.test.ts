import { describe, expect, it } from "vitest";
import { FIXTURES, fixture } from "../../fixtures.test-helper.ts";
import type { Program } from "../../ir.ts";
import { expectPass, program } from "../../program.test-helper.ts";
import { walk } from "../../query/walk-graph.ts";
import { printGraph } from "../../text/print-program.ts";
import { validate } from "../../validate/validate.ts";
import { isMutatingName } from "../mutating-names.ts";
import { removeNoOps } from "../remove-no-ops.ts";
import { testEffects } from "./effects.test-helper.ts";
import { functionalize } from "./functionalize.ts";

const pass = (input: Program): Program => functionalize(input, testEffects);

describe("functionalize", () => {
  it("functionalize returns programs without mutation unchanged", async () => {
    const input = await fixture("torch-2.13/conv_aten.pt2");
    expect(pass(input)).toBe(input);
  });

  it("functionalize converts writes to buffers to results, before the others", () => {
    expectPass(
      pass,
      `buffer "count" = %b_count: i64[]
       user_input %x: f32[2]
       %add_: i64[] = aten::add_.Tensor(%b_count, other=1)
       %y: f32[2] = aten::mul.Tensor(%x, other=%b_count)
       return %y, %add_`,
      `buffer "count" = %b_count: i64[]
       user_input %x: f32[2]
       %add_: i64[] = aten::add.Tensor(%b_count, other=1)
       %y: f32[2] = aten::mul.Tensor(%x, other=%add_)
       return %add_ -> buffer_mutation "count", %y, %add_`,
    );
  });

  it.each(["", ", p=0.5"])("says what only the in-place variant has a default for (%s)", (given) => {
    expectPass(
      pass,
      `user_input %x: f32[4]
       %y: f32[4] = aten::clone(%x)
       %bernoulli_: f32[4] = aten::bernoulli_.float(%y${given})
       return %y`,
      `user_input %x: f32[4]
       %y: f32[4] = aten::clone(%x)
       %bernoulli_: f32[4] = aten::bernoulli.p(%y, p=0.5)
       return %bernoulli_`,
    );
  });

  it.each(["dropout", "feature_alpha_dropout"])("functionalizes %s_ in training, and nothing else", (op) => {
    expectPass(
      pass,
      `user_input %x: f32[4]
       %y: f32[4] = aten::clone(%x)
       %d: f32[4] = aten::${op}_(%y, p=0.5, train=true)
       return %y`,
      `user_input %x: f32[4]
       %y: f32[4] = aten::clone(%x)
       %d: f32[4] = aten::${op}(input=%y, p=0.5, train=true)
       return %d`,
    );
  });

  it.each(["lift_fresh", "lift", "alias"])("treats the result of %s as its argument", (op) => {
    expectPass(
      pass,
      `user_input %x: f32[4]
       %y: f32[4] = aten::clone(%x)
       %z: f32[4] = aten::${op}(%y)
       %add_: f32[4] = aten::add_.Tensor(%z, other=1)
       return %y, %z`,
      `user_input %x: f32[4]
       %y: f32[4] = aten::clone(%x)
       %add_: f32[4] = aten::add.Tensor(%y, other=1)
       return %add_, %add_`,
    );
  });

  it("functionalize writes through views of views, visibly in other views", () => {
    expectPass(
      pass,
      `user_input %x: f32[4, 3]
       %y: f32[4, 3] = aten::clone(%x)
       %row: f32[3] = aten::select.int(%y, dim=0, index=0)
       %flat: f32[12] = aten::view(%y, size=[-1])
       %some: f32[4]{strides=[3]} = aten::slice.Tensor(%flat, dim=0, start=0, end=9223372036854775807, step=3)
       %add_: f32[4]{strides=[3]} = aten::add_.Tensor(%some, other=1)
       %z: f32[3] = aten::relu(%row)
       return %z, %y`,
      `user_input %x: f32[4, 3]
       %y: f32[4, 3] = aten::clone(%x)
       %row: f32[3] = aten::select.int(%y, dim=0, index=0)
       %flat: f32[12] = aten::view(%y, size=[-1])
       %some: f32[4]{strides=[3]} = aten::slice.Tensor(%flat, dim=0, start=0, end=9223372036854775807, step=3)
       %add_: f32[4]{strides=[3]} = aten::add.Tensor(%some, other=1)
       %slice_scatter: f32[12] = aten::slice_scatter(%flat, src=%add_, dim=0, start=0, end=9223372036854775807, step=3)
       %reshape_as: f32[4, 3] = aten::reshape_as(%slice_scatter, other=%y)
       %row_1: f32[3] = aten::select.int(%reshape_as, dim=0, index=0)
       %z: f32[3] = aten::relu(%row_1)
       return %z, %reshape_as`,
    );
  });

  it("functionalize writes a piece of a split back among the others", () => {
    expectPass(
      pass,
      `user_input %x: f32[4]
       %y: f32[4] = aten::clone(%x)
       split: [%a: f32[2], %b: f32[2]{offset=2}] = aten::split.Tensor(%y, split_size=2)
       %r: f32[2]{offset=2} = aten::relu_(%b)
       return %y, %a, %b`,
      `user_input %x: f32[4]
       %y: f32[4] = aten::clone(%x)
       split: [%a: f32[2], %b: f32[2]{offset=2}] = aten::split.Tensor(%y, split_size=2)
       %r: f32[2]{offset=2} = aten::relu(%b)
       %cat: f32[4] = aten::cat(tensors=[%a, %r])
       split_1: [%a_1: f32[2], %b_1: f32[2]{offset=2}] = aten::split.Tensor(%cat, split_size=2)
       return %cat, %a_1, %b_1`,
    );
  });

  it("functionalize keeps the dtype of the written tensor", () => {
    expectPass(
      pass,
      `user_input %x: f16[2]
       user_input %y: f32[2]
       %a: f16[2] = aten::add_.Tensor(%x, other=%y)
       %e: f16[2] = aten::eq_.Tensor(%a, other=%y)
       %c: f16[2] = aten::copy_(%e, src=%y)
       return %c`,
      `user_input %x: f16[2]
       user_input %y: f32[2]
       a_2: %a_1: f32[2] = aten::add.Tensor(%x, other=%y)
       %a: f16[2] = aten::_to_copy(%a_1, dtype=torch.float16)
       e_2: %e_1: bool[2] = aten::eq.Tensor(%a, other=%y)
       %e: f16[2] = aten::_to_copy(%e_1, dtype=torch.float16)
       %c: f16[2] = aten::copy(%e, src=%y)
       return %c -> user_input_mutation "x", %c`,
    );
  });

  it("functionalize updates the statistics of a training batch norm", () => {
    expectPass(
      pass,
      `buffer "m" = %m: f32[3]
       buffer "v" = %v: f32[3]
       user_input %x: f32[2, 3]
       %y: f32[2, 3] = aten::batch_norm(input=%x, weight=none, bias=none, running_mean=%m, running_var=%v, training=true, momentum=0.1, eps=1e-5, cudnn_enabled=true)
       return %y`,
      `buffer "m" = %m: f32[3]
       buffer "v" = %v: f32[3]
       user_input %x: f32[2, 3]
       %y: f32[2, 3], %save_mean: f32[3], %save_invstd: f32[3], %running_mean: f32[3], %running_var: f32[3] = aten::_native_batch_norm_legit_functional(input=%x, weight=none, bias=none, running_mean=%m, running_var=%v, training=true, momentum=0.1, eps=1e-5)
       return %running_mean -> buffer_mutation "m", %running_var -> buffer_mutation "v", %y`,
    );
  });

  it("functionalize updates the statistics of a training batch norm that is named after a library", () => {
    expectPass(
      pass,
      `buffer "m" = %m: f32[3]
       buffer "v" = %v: f32[3]
       user_input %x: f32[2, 3]
       y: %y: f32[2, 3], %a: f32[3], %b: f32[3], %c: u8[0] = aten::cudnn_batch_norm(input=%x, weight=%v, bias=none, running_mean=%m, running_var=%v, training=true, exponential_average_factor=0.1, epsilon=1e-5)
       z: %z: f32[2, 3], %d: f32[3], %e: f32[3], %f: u8[0], %g: int = aten::_batch_norm_impl_index(input=%y, weight=none, bias=none, running_mean=none, running_var=none, training=true, momentum=0.1, eps=1e-5, cudnn_enabled=false)
       return %z, %c`,
      `buffer "m" = %m: f32[3]
       buffer "v" = %v: f32[3]
       user_input %x: f32[2, 3]
       y: %y: f32[2, 3], %a: f32[3], %b: f32[3], %running_mean: f32[3], %running_var: f32[3] = aten::_native_batch_norm_legit_functional(input=%x, weight=%v, bias=none, running_mean=%m, running_var=%v, training=true, momentum=0.1, eps=1e-5)
       unused: %c: u8[0] = aten::full(size=[0], fill_value=0, dtype=torch.uint8)
       z: %z: f32[2, 3], %d: f32[3], %e: f32[3], %f: u8[0], %g: int = aten::_batch_norm_impl_index(input=%y, weight=none, bias=none, running_mean=none, running_var=none, training=true, momentum=0.1, eps=1e-5, cudnn_enabled=false)
       return %running_mean -> buffer_mutation "m", %running_var -> buffer_mutation "v", %z, %c`,
    );
  });

  it("functionalize tracks a tensor through in-place view ops", () => {
    expectPass(
      pass,
      `user_input %x: f32[2, 3]
       %y: f32[2, 3] = aten::clone(%x)
       %t: f32[3, 2]{strides=[1, 3]} = aten::t_(%y)
       %s: f32[2]{strides=[3]} = aten::select.int(%y, dim=0, index=0)
       %z: f32[2]{strides=[3]} = aten::zero_(%s)
       return %y`,
      `user_input %x: f32[2, 3]
       %y: f32[2, 3] = aten::clone(%x)
       %t: f32[3, 2]{strides=[1, 3]} = aten::t(%y)
       %s: f32[2]{strides=[3]} = aten::select.int(%t, dim=0, index=0)
       %z: f32[2]{strides=[3]} = aten::zero(%s)
       %select_scatter: f32[3, 2]{strides=[1, 3]} = aten::select_scatter(%t, src=%z, dim=0, index=0)
       %t_1: f32[2, 3] = aten::t(%select_scatter)
       return %select_scatter`,
    );
  });

  it("functionalize takes views of a memory as PyTorch laid it out, whatever was copied into it", () => {
    expectPass(
      pass,
      `user_input %x: f32[3, 2]
       %t: f32[2, 3]{strides=[1, 2]} = aten::t(%x)
       %y: f32[2, 3] = aten::zeros_like(%t)
       %y_1: f32[2, 3] = aten::copy_(%y, src=%t)
       %row: f32[6] = aten::reshape(%y_1, shape=[6])
       %row_1: f32[6] = aten::neg_(%row)
       %last: f32[2]{offset=4} = aten::as_strided(%y_1, size=[2], stride=[1], storage_offset=4)
       return %y_1, %last`,
      `user_input %x: f32[3, 2]
       %t: f32[2, 3]{strides=[1, 2]} = aten::t(%x)
       %y: f32[2, 3] = aten::zeros_like(%t)
       %row: f32[6] = aten::reshape(%t, shape=[6])
       %row_1: f32[6] = aten::neg(%row)
       %reshape_as: f32[2, 3]{strides=[1, 2]} = aten::reshape_as(%row_1, other=%t)
       %last: f32[2]{offset=4} = aten::as_strided(%reshape_as, size=[2], stride=[1], storage_offset=4)
       return %reshape_as, %last`,
    );
    expectPass(
      pass,
      `user_input %x: f32[2, 3]
       %y: f32[2, 3]{strides=[1, 2]} = aten::empty_strided(size=[2, 3], stride=[1, 2])
       %y_1: f32[2, 3]{strides=[1, 2]} = aten::copy_(%y, src=%x)
       %row: f32[6] = aten::reshape(%y_1, shape=[6])
       %row_1: f32[6] = aten::neg_(%row)
       return %y_1, %row_1`,
      `user_input %x: f32[2, 3]
       %y: f32[2, 3]{strides=[1, 2]} = aten::empty_strided(size=[2, 3], stride=[1, 2])
       %row: f32[6] = aten::reshape(%x, shape=[6])
       %row_1: f32[6] = aten::neg(%row)
       return %x, %row_1`,
    );
  });

  it("functionalize refuses as_strided where a memory in another order was filled in row-major order", () => {
    const input = program(
      `user_input %x: f32[2, 3]
       %y: f32[2, 3]{strides=[1, 2]} = aten::empty_strided(size=[2, 3], stride=[1, 2])
       %y_1: f32[2, 3]{strides=[1, 2]} = aten::copy_(%y, src=%x)
       %row: f32[6] = aten::as_strided(%y_1, size=[6], stride=[1])
       return %row`,
    );
    expect(() => pass(input)).toThrow("its memory is not in row-major order");
  });

  it("functionalize writes to lists of tensors, and infers effects of undeclared ops from their names", () => {
    expectPass(
      (input) => functionalize(input, () => undefined),
      `user_input %x: f32[2]
       user_input %y: f32[3]
       each: aten::_foreach_add_.Scalar([%x, %y], scalar=1.0)
       %z: f32[2] = aten::relu_(%x)
       return %z, %y`,
      `user_input %x: f32[2]
       user_input %y: f32[3]
       each: [%each_1: f32[2], %each_2: f32[3]] = aten::_foreach_add.Scalar([%x, %y], scalar=1.0)
       %z: f32[2] = aten::relu(%each_1)
       return %z -> user_input_mutation "x", %each_2 -> user_input_mutation "y", %z, %each_2`,
    );
  });

  it("functionalize applies as_strided to the memory behind a view, also without writes", () => {
    expectPass(
      pass,
      `user_input %x: f32[4, 3]
       %s: f32[3, 3]{offset=3} = aten::slice.Tensor(%x, dim=0, start=1, end=4)
       %t: f32[3, 3]{strides=[1, 3], offset=3} = aten::t(%s)
       %a: f32[2, 2]{strides=[1, 4], offset=3} = aten::as_strided(%t, size=[2, 2], stride=[1, 4])
       %b: f32[2]{offset=1} = aten::as_strided_copy(%t, size=[2], stride=[1], storage_offset=1)
       return %a, %b`,
      `user_input %x: f32[4, 3]
       %s: f32[3, 3]{offset=3} = aten::slice.Tensor(%x, dim=0, start=1, end=4)
       %t: f32[3, 3]{strides=[1, 3], offset=3} = aten::t(%s)
       %a: f32[2, 2]{strides=[1, 4], offset=3} = aten::as_strided(%x, size=[2, 2], stride=[1, 4], storage_offset=3)
       %b: f32[2]{offset=1} = aten::as_strided_copy(%x, size=[2], stride=[1], storage_offset=1)
       return %a, %b`,
    );
  });

  it("functionalize counts offsets from the start of an input, whatever its offset at export", () => {
    expectPass(
      pass,
      `user_input %x: f32[10]{offset=4}
       buffer "w" = %w: f32[10]{offset=4}
       %a: f32[2, 2]{strides=[1, 2], offset=4} = aten::as_strided(%x, size=[2, 2], stride=[1, 2])
       %b: f32[3]{offset=6} = aten::as_strided_copy(%x, size=[3], stride=[1], storage_offset=6)
       %s: f32[9]{offset=5} = aten::slice.Tensor(%x, start=1)
       %c: f32[3]{offset=5} = aten::as_strided(%s, size=[3], stride=[1])
       %d: f32[3]{offset=6} = aten::as_strided(%w, size=[3], stride=[1], storage_offset=6)
       return %a, %b, %c, %d`,
      `user_input %x: f32[10]{offset=4}
       buffer "w" = %w: f32[10]{offset=4}
       %a: f32[2, 2]{strides=[1, 2], offset=4} = aten::as_strided(%x, size=[2, 2], stride=[1, 2])
       %b: f32[3]{offset=6} = aten::as_strided_copy(%x, size=[3], stride=[1], storage_offset=6)
       %s: f32[9]{offset=5} = aten::slice.Tensor(%x, start=1)
       %c: f32[3]{offset=5} = aten::as_strided(%x, size=[3], stride=[1], storage_offset=1)
       %d: f32[3]{offset=6} = aten::as_strided(%w, size=[3], stride=[1], storage_offset=2)
       return %a, %b, %c, %d`,
    );
  });

  it.each([
    ["a view", "[s0, 4, 32]{strides=[128, 1, 4]}", "reshape_as"],
    ["a copy", "[s0, 128]", "x"],
  ])("functionalize decides that a reshape is %s for every batch size", (_, type, shown) => {
    const size = type.replace(/\{.*/, "").replace("s0", "-1");
    const text = printGraph(
      pass(
        program(`user_input %i: f32[s0, 32, 2, 2]
          %c: f32[s0, 32, 2, 2] = aten::clone(%i)
          %x: f32[s0, 2, 2, 32]{strides=[128, 2, 1, 4]} = aten::permute(%c, dims=[0, 2, 3, 1])
          %r: f32${type} = aten::reshape(%x, shape=${size})
          %a: f32${type} = aten::zero_(%r)
          return %x`),
      ).graph,
    );
    expect(text).toContain(`return %${shown}`);
  });

  it.each([
    [
      "%c: f32[2, 3]{strides=[1, 2]} = mylib::columns(%y)\n %z: f32[2, 2] = aten::as_strided(%c, size=[2, 2], stride=[2, 1])\n return %z",
      "not in row-major order",
    ],
    [
      "%s: f32[s0]{strides=[2]} = aten::slice.Tensor(%y, step=2)\n %z: f32[s0]{strides=[2]} = aten::as_strided_scatter(%s, src=%x, size=[1], stride=[1])\n return %z",
      "how its memory lies is unknown",
    ],
    ["c: mylib::fill(x=%y)\n return %y", "but its schema is unknown"],
    [
      "%e: f32[2, 3]{strides=[0, 1]} = aten::expand(%y, size=[2, 3])\n %z: f32[2, 3] = aten::relu_(%e)\n return %z",
      "through aten::expand to elements of memory more than once",
    ],
    ["%z: f32[3] = aten::set_(%y)\n return %z", "no functional form"],
    [
      "c: %z: f32[3] = higher_order::map_impl(graph t(%y: f32[3]) { %r: f32[3] = aten::relu_(%y) return %r }, [%y], [])\n return %z",
      "writes to the operand `y`",
    ],
    [
      "c: %z: f32[3] = higher_order::while_loop(graph c(%x: f32[3]) { %b: bool[] = aten::lt.Scalar(%x, other=1) return %b }, graph t(%x: f32[3]) { %r: f32[3] = aten::relu_(%x) return %r }, [%y], [])\n return %z",
      "writes to the operand `x`",
    ],
    [
      "%v: f32[3] = aten::view(%y, size=[3])\n c: %z: f32[3] = higher_order::cond(true, graph t(%y: f32[3], %v: f32[3]) { %r: f32[3] = aten::relu_(%y) return %r }, graph f(%y: f32[3], %v: f32[3]) { return %v }, [%y, %v])\n return %z",
      "shares memory with another one",
    ],
    [
      "%t: f32[s0, 3]{strides=[1, s0]} = aten::clone(%y)\n %f: f32[3*s0] = aten::reshape(%t, shape=[-1])\n %z: f32[3*s0] = aten::zero_(%f)\n return %z",
      "a view or a copy",
    ],
  ])("functionalize rejects a program without functional form: %s", (text, message) => {
    const input = program(`user_input %x: f32[3]\n %y: f32[3] = aten::clone(%x)\n ${text}`);
    expect(() => pass(input)).toThrow(
      expect.objectContaining({ code: "graph.mutation", message: expect.stringContaining(message) }),
    );
  });

  it.each(FIXTURES)("functionalize leaves no in-place op in %s", async (path) => {
    const output = pass(removeNoOps(await fixture(path)));
    expect(validate(output)).toEqual([]);
    walk(output.graph, ({ op }) => expect(isMutatingName(op), op).toBe(false));
  });
});
