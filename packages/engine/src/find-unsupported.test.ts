import { parse } from "@pt2/graph";
import { createRegistry, defineOp, type OpHandler } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { expect, test } from "vitest";
import { type Abilities, findUnsupported } from "./find-unsupported.ts";

const registry = createRegistry({ sets: [aten] });

function abilities(kernels: readonly string[] = [], dynamic: readonly string[] = []): Abilities {
  return {
    target: { name: "toy", isNative: (op) => kernels.includes(op) },
    dtypes: ["float32", "int64", "bool"],
    hasDynamicKernel: (op) => dynamic.includes(op),
  };
}

test("an op without a kernel is found where a decomposition ends in it", async () => {
  const program = parse(`program {
    user_input %x: f32[3, 5]
    user_input %w: f32[7, 5]
    %y: f32[3, 7] = aten::linear(input=%x, weight=%w)
    %z: f32[3, 7] = aten::relu(%y)
    return %z
  }`);
  const [missing, ...more] = await findUnsupported(program, registry, abilities());
  expect(more).toEqual([]);
  expect(missing).toMatchObject({ op: "aten::linear", count: 1 });
  expect(missing?.why).toMatch(/^it needs aten::(mm|bmm|addmm): it has neither a kernel nor a decomposition$/);
  expect(await findUnsupported(program, registry, abilities(["aten::linear"]))).toEqual([]);
});

test("open sizes are assumed within their ranges", async () => {
  const program = parse(`program {
    range s0 = [2, 2]
    range s1 = [100, 128]
    user_input %x: f32[s0, s1]
    %y: f32[s0, 2*s1] = aten::cat(tensors=[%x, %x], dim=1)
    return %y
  }`);
  const shapes: unknown[] = [];
  const seen: Abilities = {
    ...abilities(),
    target: { name: "toy", isNative: (_, args) => shapes.push(args.tensors) > 0 },
  };
  expect(await findUnsupported(program, registry, seen)).toEqual([]);
  expect(shapes[0]).toMatchObject([{ shape: [2, 100] }, { shape: [2, 100] }]);
});

test("an assertion about a number that cannot be assumed needs no kernel", async () => {
  const program = parse(`program {
    user_input %x: bool[]
    %b: bool(u0 == 1) = aten::_local_scalar_dense(%x)
    %n: int(Piecewise(ExprCondPair(1, u0 == 1), ExprCondPair(0, True))) = torch::sym_ite(b=%b, t=1, f=0)
    %le: bool(Piecewise(ExprCondPair(1, u0 == 1), ExprCondPair(0, True)) <= 1) = _operator::le(a=%n, b=1)
    check: aten::_assert_scalar(%le, assert_msg="at most one")
    return %x
  }`);
  expect(await findUnsupported(program, registry, abilities([], ["aten::_local_scalar_dense"]))).toEqual([]);
});

test("ops whose sizes depend on data need a dynamic kernel", async () => {
  const program = parse(`program {
    range u0 = [0, none]
    user_input %x: f32[5]
    %at: i64[u0, 1] = aten::nonzero(%x)
    return %at
  }`);
  expect(await findUnsupported(program, registry, abilities())).toMatchObject([{ op: "aten::nonzero" }]);
  expect(await findUnsupported(program, registry, abilities([], ["aten::nonzero"]))).toEqual([]);
});

test("a dtype that the backend lacks is reported with the op that uses it", async () => {
  const program = parse(`program {
    user_input %x: f32[5]
    %y: bf16[5] = aten::to.dtype(%x, dtype=torch.bfloat16)
    return %y
  }`);
  expect(await findUnsupported(program, registry, abilities())).toMatchObject([
    { op: "aten::to.dtype", why: "toy has no bfloat16 tensors" },
  ]);
});

test.each([
  ["export::access_subclass_inner_tensor", "unwrap_tensor_subclass"],
  ["onednn::qlinear_pointwise", "before it is lowered"],
  ["quantized::linear_dynamic", "PT2E or torchao"],
  ["torchao::da8w4_linear_cpu", "torchao::quantize_affine"],
])("an op that should not be in a program is reported with what to export instead: %s", async (op, advice) => {
  const program = parse(`program {
    user_input %x: f32[5]
    %y: f32[5] = ${op}(%x)
    return %y
  }`);
  const [missing] = await findUnsupported(program, registry, abilities());
  expect(missing).toMatchObject({ op, why: expect.stringContaining(advice) });
});

test("an op that computes in another dtype than its operands is reported with advice", async () => {
  const program = parse(`program {
    user_input %x: f32[3, 5]
    user_input %w: f32[5, 7]
    %y: f32[3, 7] = higher_order::out_dtype(&aten::mm, torch.float32, %x, %w)
    return %y
  }`);
  expect(await findUnsupported(program, registry, abilities(["aten::mm"]))).toMatchObject([
    {
      op: "higher_order::out_dtype",
      why: expect.stringMatching(/calls an op that is not there; write the casts in the model/),
    },
  ]);
});

test("handlers and op sets make ops supported", async () => {
  const program = parse(`program {
    user_input %x: f32[5]
    %y: f32[5] = mine::twice(%x)
    return %y
  }`);
  expect(await findUnsupported(program, registry, abilities())).toMatchObject([
    { op: "mine::twice", why: "no op set has it" },
  ]);
  const handler: OpHandler = {
    ops: ["mine::twice"],
    compile:
      () =>
      ({ args }) =>
        args.self as never,
  };
  expect(await findUnsupported(program, createRegistry({ sets: [aten], handlers: [handler] }), abilities())).toEqual(
    [],
  );
  const twice = defineOp("mine::twice(Tensor self) -> Tensor", {
    decompose: ({ self }, b) => b.tensor("aten::add.Tensor", { self, other: self }),
  });
  const sets = [aten, { name: "mine", ops: [twice] }];
  expect(await findUnsupported(program, createRegistry({ sets }), abilities())).toEqual([]);
});
