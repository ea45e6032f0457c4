import type { DType } from "@pt2/format";
import { parse } from "@pt2/graph";
import { expect, test } from "vitest";
import { aten } from "../aten.ts";
import type { ArgValue } from "../tensor-meta.ts";
import { createRegistry } from "../user-ops/create-registry.ts";
import type { Call } from "./call.ts";
import { lower } from "./lower.ts";
import { isTensor, type LoweredTensor } from "./lowered-tensor.ts";
import type { LowerOptions } from "./lowering.ts";

const options: LowerOptions = {
  registry: createRegistry({ sets: [aten] }),
  target: { name: "test", isNative: (op) => /::(linear|matmul|conv2d|cat|arange.start_step|layer_norm)/.test(op) },
  handlerContext: () => ({ backend: "test", initial: () => undefined }),
};

const NODES = `
  user_input %x: f32[s0, 6]
  user_input %float16: f16[s0, 6]
  user_input %ints: i32[s0, 6]
  user_input %one: f64[]
  user_input %picture: f32[2, 3, s1, s1]
  user_input %w: f32[5, 6]
  user_input %kernel: f32[4, 3, 3, 3]
  %n: int(s0) = aten::sym_size.int(%x, dim=0)
  %size: int(s1) = aten::sym_size.int(%picture, dim=3)
  %twice: int(2*s0) = _operator::mul(a=%n, b=2)
  %linear: f32[s0, 5] = aten::linear(input=%x, weight=%w)
  %added: f32[s0, 6] = aten::add.Tensor(%x, other=%x, alpha=%n)
  %number: f32[s0, 6] = aten::mul.Tensor(%x, other=%twice)
  %zero: f32[s0, 6] = aten::add.Tensor(%x, other=0)
  %mixed: f32[s0, 6] = aten::add.Tensor(%float16, other=%x)
  %whole: i32[s0, 6] = aten::add.Tensor(%ints, other=%n)
  %divided: f32[s0, 6] = aten::div.Tensor(%ints, other=%size)
  %scalar: f32[s0, 6] = aten::mul.Tensor(%x, other=%one)
  %power: f32[s0, 6] = aten::pow.Tensor_Scalar(%x, exponent=3)
  %cast: f16[s0, 6] = aten::to.dtype(%x, dtype=torch.float16)
  %absolute: f32[s0, 6] = aten::abs(%x)
  %row: f32[s0, 1] = aten::slice.Tensor(%x, dim=1, start=2, end=3)
  %broadcast: f32[s0, 6] = aten::sub.Tensor(%row, other=%x)
  %flat: f32[6*s0] = aten::view(%x, size=[-1])
  %shaped: f32[6, s0] = aten::view(%x, size=[6, %n])
  %expanded: f32[2, s0, 6] = aten::expand(%x, size=[2, %n, 6])
  %places: i64[s0] = aten::arange(end=%n)
  %cat: f32[s0, 11] = aten::cat(tensors=[%x, %linear], dim=1)
  %conv: f32[2, 4, s1, s1] = aten::conv2d(input=%picture, weight=%kernel, padding=[1, 1])
  %norm: f32[s0, 6] = aten::layer_norm(input=%x, normalized_shape=[6])
  [%left: f32[s0, 3], %right: f32[s0, 3]] = aten::chunk(%x, chunks=2, dim=1)
  return %added, %number, %zero, %mixed, %whole, %divided, %scalar, %power, %cast, %absolute, %broadcast, %flat, %shaped, %expanded, %places, %cat, %conv, %norm`;

function graphOf(body: string) {
  return parse(`program "TRAINING" torch "2.13.0" {\n  forward()\n  ${body.trim()}\n}\n`).graph;
}

function tensorsOf(shapes: Readonly<Record<string, readonly number[]>>): ReadonlyMap<string, ArgValue> {
  return new Map(Object.entries(shapes).map(([name, shape]) => [name, tensor(name, "float32", shape)]));
}

function tensor(name: string, dtype: DType, shape: readonly number[]): LoweredTensor {
  return { name, dtype, shape };
}

const inputsOf = (rows: number, size: number): ReadonlyMap<string, ArgValue> =>
  new Map<string, ArgValue>(
    (
      [
        ["x", "float32", rows, 6],
        ["float16", "float16", rows, 6],
        ["ints", "int32", rows, 6],
        ["one", "float64"],
        ["picture", "float32", 2, 3, size, size],
        ["w", "float32", 5, 6],
        ["kernel", "float32", 4, 3, 3, 3],
      ] as const
    ).map(([name, dtype, ...shape]) => [name, tensor(name, dtype, shape)]),
  );

/** What is to be compared of calls: everything but the identity of tensors. */
function shown(calls: readonly Call[]): unknown {
  const plain = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(plain);
    if (isTensor(value)) return { dtype: value.dtype, shape: [...value.shape], name: value.name };
    return value;
  };
  return calls.map(({ record, kind, args, results, scalar }) => [
    record.name,
    kind,
    Object.entries(args).map(([name, value]) => [name, plain(value)]),
    results.map(plain),
    scalar && [scalar.dtype, [...scalar.shape], scalar.expr, scalar.operands.map(plain)],
  ]);
}

test.each([
  [7, 5],
  [1, 3],
  [0, 4],
  [6, 6],
])(
  "calls that are made again for %i rows and pictures of %i are those of a graph that is lowered for them",
  async (rows, size) => {
    const graph = graphOf(NODES);
    const first = await lower(graph, inputsOf(3, 9), options);
    const given = inputsOf(rows, size);
    const again = await first.again!.repeat(
      new Map([...given].filter(([name]) => !["w", "kernel"].includes(name))),
      false,
    );
    const calls = await Promise.all(first.calls.map((call) => again!.callFor(call)));
    expect(shown(calls as readonly Call[])).toEqual(shown((await lower(graph, given, options)).calls));
  },
);

test.each([
  ["a broadcast", "%y: f32[s0, 6] = aten::add.Tensor(%x, other=%other)"],
  ["a product", "%t: f32[6, s0] = aten::permute(%x, dims=[1, 0])\n  %y: f32[6, 5] = aten::linear(input=%t, weight=%w)"],
  ["a view", "%y: f32[9, 2] = aten::view(%x, size=[9, 2])"],
])("%s that other sizes do not fit is refused as in a graph that is lowered for them", async (_, nodes) => {
  const graph = graphOf(`
  user_input %x: f32[s0, 6]
  user_input %other: f32[s1, 6]
  user_input %w: f32[5, s2]
  ${nodes}
  return %y`);
  const shapes = { x: [3, 6], other: [3, 6], w: [5, 3] };
  const first = await lower(graph, tensorsOf(shapes), options);
  const given = tensorsOf({ ...shapes, x: [5, 6] });
  const refusal = await lower(graph, given, options).catch((error: Error) => error);
  expect(refusal).toMatchObject({ code: expect.stringContaining("registry.") });
  const { message } = refusal as Error;
  await expect(first.again!.repeat(given, true)).rejects.toMatchObject({ message });
});
