import { numel } from "@pt2/format";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fixtureTensors, loadFixture } from "./fixtures.test-helper.ts";
import { type HostTensor, type Model, type Tensor, tensor } from "./node.ts";

const zeros = (shape: readonly number[]): HostTensor => tensor("float32", shape, new Float32Array(numel(shape)));

describe("a program of dicts and keyword arguments", () => {
  let model: Model;
  let left: HostTensor;
  let right: HostTensor;
  let named: HostTensor;
  let expected: readonly HostTensor[];
  beforeAll(async () => {
    model = await loadFixture("torch-2.13/trees");
    [left, right, named] = (await fixtureTensors("torch-2.13/trees", "inputs")) as [HostTensor, HostTensor, HostTensor];
    expected = await fixtureTensors("torch-2.13/trees", "expected");
  });
  afterAll(() => model.dispose());

  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    "by name": () => model.forward({ pair: { left, right: [right] }, named }),
    "by position": () => model.forward({ left, right: [right] }, named),
    "as Python": () => model.run({ args: [{ left, right: [right] }], kwargs: { named } }),
    "by leaves": () => model.run({ leaves: [left, right, named] }),
  };
  it.each(Object.keys(calls))(
    "a program of dicts and keyword arguments is called %s and returns its own structure",
    async (how) => {
      type Result = { sum: Tensor; list: [Tensor, [Tensor, number]]; named: Tensor };
      const { sum, list, named: less } = (await calls[how]!()) as Result;
      expect(list[1][1]).toBe(3);
      const tensors = [sum, list[0], list[1][0], less].map(({ shape, data }) => ({ shape, data }));
      expect(tensors).toEqual(expected.map(({ shape, data }) => ({ shape, data })));
    },
  );

  it.each([
    [() => model.forward(), "runtime.input-missing", "Input `pair` is missing"],
    [() => model.forward({ left, right: [right] }), "runtime.input-missing", "Input `named` is missing"],
    [() => model.forward({ left }, named), "graph.input-tree", "`pair.right` must be a value"],
    [() => model.forward({ left, right: [zeros([3, 4])] }, named), "graph.input-shape", "`pair.right[0]` is [3, 4]"],
    [
      () => model.forward({ left: 1, right: [right] }, named),
      "runtime.input-kind",
      "`pair.left` must be float32 [3, 2]",
    ],
    [() => model.forward(1, 2, 3), "runtime.call", "at most 2"],
    [() => model.run({ kwargs: { pear: 1 } }), "runtime.call", "no parameter `pear`"],
    [() => model.run({ args: [1], kwargs: { pair: 1 } }), "runtime.call", "`pair` is given twice"],
    [() => model.run([left] as object), "runtime.call", "A call is { args, kwargs }"],
    [() => model.profile(left as object), "runtime.call", "A call is { args, kwargs }"],
    [() => model.warmup({ pair: { left, right: [right] } } as object), "runtime.call", "A call is { args, kwargs }"],
    [() => model.runFlat([left]), "runtime.call", "takes 3 inputs (pair.left, pair.right[0], named), but got 1"],
  ] as const)("rejects a wrong call %#", async (call, code, message) => {
    await expect(call()).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });
});

describe("symbolic sizes", () => {
  let model: Model;
  const ids = (shape: readonly number[]): HostTensor => tensor("int64", shape, new BigInt64Array(numel(shape)));
  beforeAll(async () => {
    model = await loadFixture("torch-2.13/dynamic");
  });
  afterAll(() => model.dispose());

  it("symbolic sizes are bound by the inputs", async () => {
    const [flat, , last] = await model.forward<[Tensor, Tensor, Tensor]>(ids([2, 4]));
    expect([flat.shape, last.shape]).toEqual([
      [2, 32],
      [2, 4],
    ]);
  });

  it("symbolic sizes must be within their ranges", async () => {
    await expect(model.forward({ ids: ids([65, 4]) })).rejects.toMatchObject({
      code: "graph.input-shape",
      message: expect.stringContaining(
        "Input `ids` is [65, 4] but must be [s23, s27] (s23: 1 … 64; s27: 2 … 128): s23 = 65 must be 1 … 64",
      ),
    });
  });

  it.each([
    [
      tensor("int32", [2, 4], new Int32Array(8)),
      "runtime.input-dtype",
      'create it with `tensor("int64", [2, 4], data)`',
    ],
    [new BigInt64Array(8), "runtime.input-kind", "an array without a shape is not enough"],
    [[1, 2], "runtime.input-kind", "but got an array of 2"],
    [undefined, "runtime.input-missing", "must be int64 [s23, s27]"],
  ] as const)("reject a wrong input %#", async (given, code, message) => {
    await expect(model.forward(given)).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });

  it("symbolic sizes are not used after an abort", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(model.run({ args: [ids([2, 4])] }, { signal })).rejects.toThrow("enough");
    await expect(model.forward(ids([2, 4]))).resolves.toHaveLength(3);
  });
});

describe("inputs that were fixed at export", () => {
  let model: Model;
  beforeAll(async () => {
    model = await loadFixture("programs/scalars");
  });
  afterAll(() => model.dispose());

  it("inputs that were fixed at export may be omitted or passed with the same value", async () => {
    const x = (await fixtureTensors("programs/scalars", "inputs"))[0]!;
    const [expected] = await fixtureTensors("programs/scalars", "expected");
    for (const rest of [[], [3, 0.5, true, "b"], [3n, null, undefined, "b"]]) {
      const { shape, data } = await model.forward(x, ...rest);
      expect({ shape, data }).toEqual({ shape: expected!.shape, data: expected!.data });
    }
  });

  it.each([
    [[4], "Input `n` was fixed to 3 at export and cannot be 4"],
    [[3, 0.5, false], "Input `flag` was fixed to True at export and cannot be false"],
    [[3, 0.5, true, "c"], 'Input `mode` was fixed to "b" at export and cannot be "c"'],
  ])("fixed inputs reject %j", async (rest, message) => {
    await expect(model.forward(zeros([2, 3]), ...rest)).rejects.toMatchObject({
      code: "runtime.input-constant",
      message: expect.stringContaining(message),
    });
  });
});

it("forward accepts an array without a shape where the shape is fixed", async () => {
  await using model = await loadFixture("torch-2.13/mlp");
  const { dtype, shape } = await model.forward(new Float32Array(35));
  expect([dtype, shape]).toEqual(["float32", [5, 3]]);
  await expect(model.forward(new Float32Array(36))).rejects.toMatchObject({
    code: "runtime.input-kind",
    message: expect.stringContaining(
      "Input `x`: A tensor of dtype float32 and shape [5, 7] needs a Float32Array of 35 elements",
    ),
  });
});

it("forward takes a tensor as another thread sent it, also alone", async () => {
  await using model = await loadFixture("torch-2.13/mlp");
  const x = tensor(new Float32Array(35).fill(0.5), { shape: [5, 7] });
  const { data } = await model.forward(x);
  expect(await model.forward(structuredClone({ ...x, dtype: x.dtype, shape: x.shape, bytes: x.bytes }))).toMatchObject({
    data,
  });
});

it("values that are not calls are rejected with a code", async () => {
  await using model = await loadFixture("torch-2.13/mlp");
  const plain = model as unknown as Record<string, (...args: readonly unknown[]) => Promise<unknown>>;
  const x = new Float32Array(35);
  const gone = new Float32Array(35);
  const goneTensor = tensor("float32", [5, 7], gone);
  await model.forward(goneTensor);
  structuredClone(gone.buffer, { transfer: [gone.buffer] });
  const calls: readonly (readonly [string, Promise<unknown>])[] = [
    ["runtime.input-missing", plain.run!()],
    ["runtime.input-missing", plain.warmup!()],
    ["runtime.input-missing", plain.profile!()],
    ["runtime.call", plain.run!({ args: 5 })],
    ["runtime.call", plain.runFlat!()],
    ["runtime.call", plain.runFlat!("abc")],
    ["runtime.input-kind", model.forward(gone)],
    ["backend.tensor-memory", model.forward(goneTensor)],
    ["runtime.options", plain.run!({ args: [x] }, { sginal: 1 })],
    ["runtime.options", plain.run!({ args: [x] }, { signal: 5 })],
    ["runtime.options", plain.runFlat!([x], null)],
    ["runtime.options", plain.profile!({ args: [x] }, 5)],
    ["runtime.options", plain.warmup!({ args: [x] }, { onProgress: 5 })],
  ];
  for (const [code, call] of calls) await expect(call).rejects.toMatchObject({ name: "Pt2Error", code });
  await expect(model.forward(x)).resolves.toMatchObject({ shape: [5, 3] });
});

it("forward returns named tuples, ordered dicts, None and shared outputs", async () => {
  await using model = await loadFixture("programs/containers");
  const [image, bias, extra] = await fixtureTensors("programs/containers", "inputs");
  const result = await model.forward<Record<string, unknown>>({ image, options: { bias }, extra: [extra] });
  expect(Object.keys(result)).toEqual(["found", "same", "twice", "size", "nothing", "scale"]);
  expect(Object.keys(result.found as object)).toHaveLength(2);
  expect(result.scale).toBe(0.5);
  expect(result.size).toBe(3);
});

it("a model keeps buffers between calls, and profiles", async () => {
  await using model = await loadFixture("torch-2.13/buffers");
  const [x, pos] = await fixtureTensors("torch-2.13/buffers", "inputs");
  const count = async (): Promise<unknown> => (await model.forward<[Tensor, Tensor]>(x, pos))[1].data;
  expect([await count(), await count()]).toEqual([BigInt64Array.of(1n), BigInt64Array.of(2n)]);
  const { steps, totalMs, outputs } = await model.profile({ args: [x, pos] });
  expect(outputs).toHaveLength(2);
  expect(steps.length).toBeGreaterThan(0);
  expect(totalMs).toBeGreaterThan(0);
  expect((await model.memory()).weights).toBeGreaterThan(0);
  expect(await model.explain()).toContain("aten::");
});
