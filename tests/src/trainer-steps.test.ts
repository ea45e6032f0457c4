import type { Backend } from "@pt2/backend";
import { wasm } from "@pt2/backend-wasm/node";
import { weightOf } from "@pt2/conformance";
import type { DType } from "@pt2/format";
import { parse } from "@pt2/graph";
import { type HostTensor, type ProgramSource, tensor } from "@pt2/runtime/node";
import { adagrad, adam, adamW, createTrainer, sgd, type Trainer, type TrainerOptions } from "@pt2/train";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** The loss is the sum of x w; its gradient is x. */
const source = (name: string, dtype: DType): ProgramSource => {
  const type = { float32: "f32", float64: "f64", float16: "f16", bfloat16: "bf16" }[dtype as string];
  return {
    program: parse(`program {
      parameter "${name}" = %p_w: ${type}[3]
      user_input %x: ${type}[3]
      forward(x)
      in_spec tuple(tuple(*), dict())
      out_spec *
      %m: ${type}[3] = aten::mul.Tensor(self=%x, other=%p_w)
      %y: ${type}[] = aten::sum(self=%m)
      return %y
    }`),
    weights: new Map([[name, weightOf(name, tensor([1, 2, 3], { dtype }))]]),
  };
};
const batch = (dtype: DType = "float32") => [tensor([1, 2, -3], { dtype })];

describe("steps of a trainer", () => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await wasm({ worker: false });
  });
  afterAll(() => backend.dispose());

  const make = async (
    options: Partial<TrainerOptions> = {},
    { name = "w", dtype = "float32" as DType } = {},
  ): Promise<Trainer> => createTrainer(source(name, dtype), { backend, optimizer: sgd({ lr: 0.1 }), ...options });
  const weightIn = async (trainer: Trainer, name = "w"): Promise<readonly number[]> => [
    ...((await (await trainer.weights()).get(name)!.read()) as Float32Array),
  ];

  it("calls that overlap are steps one after the other", async () => {
    for (const options of [{ optimizer: adam({ lr: 0.1 }) }, { accumulate: 2 }]) {
      const [one, other] = [await make(options), await make(options)];
      for (let i = 0; i < 6; i++) await one.train(batch());
      const steps = await Promise.all(Array.from({ length: 6 }, () => other.train(batch())));
      expect(other.step).toBe(one.step);
      expect(steps.at(-1)!.step).toBe(one.step);
      expect(await weightIn(other)).toEqual(await weightIn(one));
      await Promise.all([one.dispose(), other.dispose()]);
    }
  });

  it("what is read in between is of a whole step, and steps that were begun end before the trainer does", async () => {
    const trainer = await make();
    const [, checkpoint, , weights] = await Promise.all([
      trainer.train(batch()),
      trainer.checkpoint(),
      trainer.train(batch()),
      trainer.weights(),
    ]);
    await using resumed = await make({ checkpoint });
    expect(resumed.step).toBe(1);
    await resumed.train(batch());
    expect(await weightIn(resumed)).toEqual([...(weights.get("w")!.data as Float32Array)]);
    const last = trainer.train(batch());
    await trainer.dispose();
    expect((await last).step).toBe(3);
    await expect(trainer.weights()).rejects.toMatchObject({ code: "train.disposed" });
  });

  it("a parameter may be called as the optimizer's state begins", async () => {
    const name = "optimizer.weight";
    await using trainer = await make({}, { name });
    await trainer.train(batch());
    const trained = await weightIn(trainer, name);
    expect(trained[0]).toBeCloseTo(0.9, 6);
    await using model = await trainer.model();
    const loss = (await model.forward(...batch())) as { read(): Promise<ArrayLike<number>> };
    expect((await loss.read())[0]).toBeCloseTo(trained[0]! + 2 * trained[1]! - 3 * trained[2]!, 5);
  });

  it.each<DType>(["float16", "bfloat16"])("the optimizer's state begins with its value in %s", async (dtype) => {
    const optimizer = adagrad({ lr: 0.5, initialAccumulatorValue: 3, eps: 0 });
    await using trainer = await make({ optimizer }, { dtype });
    await trainer.train(batch(dtype));
    // 1 - 0.5 · 1 / √(3 + 1²)
    expect((await weightIn(trainer))[0]).toBe(0.75);
  });

  it("parameters of complex numbers are trained, as their real and imaginary parts", async () => {
    const program = parse(`program {
      parameter "z" = %p_z: c64[2]
      parameter "w" = %p_w: f32[2]
      user_input %x: f32[2]
      forward(x)
      in_spec tuple(tuple(*), dict())
      out_spec *
      %r: f32[2, 2] = aten::view_as_real(self=%p_z)
      %s: f32[2, 2] = aten::mul.Tensor(self=%r, other=%r)
      %p: f32[2, 2] = aten::mul.Tensor(self=%s, other=%p_w)
      %m: f32[2, 2] = aten::mul.Tensor(self=%p, other=%x)
      %y: f32[] = aten::sum(self=%m)
      return %y
    }`);
    const z = tensor("complex64", [2], Float32Array.of(1, -2, 3, 4));
    const given = (): ProgramSource => ({
      program,
      weights: new Map([
        ["z", weightOf("z", z)],
        ["w", weightOf("w", tensor([1, 1]))],
      ]),
    });
    const x = [tensor([1, 1])];
    // The gradient of z is 2 z, that of w the sums of squares, 10 and 20.
    await using plain = await createTrainer(given(), { backend, optimizer: sgd({ lr: 0.1 }) });
    expect(plain.parameters).toEqual(["z", "w"]);
    await plain.train(x);
    const after = (await weightIn(plain, "z")).map((value) => value.toFixed(5));
    expect(after).toEqual(["0.80000", "-1.60000", "2.40000", "3.20000"]);
    const options = { backend, optimizer: adam({ lr: 0.5, eps: 0 }), clipNorm: 1, accumulate: 2 };
    await using moments = await createTrainer(given(), options);
    await moments.train(x);
    const checkpoint = await moments.checkpoint();
    const { gradientNorm } = await moments.train(x);
    expect(gradientNorm).toBeCloseTo(Math.sqrt(4 * 30 + 100 + 400), 4);
    const signs = (await weightIn(moments, "z")).map((value) => value.toFixed(5));
    expect(signs).toEqual(["0.50000", "-1.50000", "2.50000", "3.50000"]);
    await using resumed = await createTrainer(given(), { ...options, checkpoint });
    await resumed.train(x);
    expect(await weightIn(resumed, "z")).toEqual(await weightIn(moments, "z"));
    await using model = await moments.model();
    expect((await ((await model.forward(...x)) as HostTensor).read())[0]).toBeCloseTo(0.5 * 6.5 + 0.5 * 14.5, 4);
    const limited = createTrainer(given(), { backend, optimizer: sgd(), clipValue: 1 });
    await expect(limited).rejects.toMatchObject({ code: "train.options", details: { name: "z" } });
  });

  it("a parameter that the program itself writes to is updated from what was written", async () => {
    const program = parse(`program {
      parameter "w" = %p_w: f32[2, 2]
      user_input %x: i64[1]
      forward(x)
      in_spec tuple(tuple(*), dict())
      out_spec *
      %d: f32[2, 2] = aten::detach(self=%p_w)
      %limited: f32[2, 2] = aten::embedding_renorm_(self=%d, indices=%x, max_norm=1, norm_type=2)
      %e: f32[1, 2] = aten::embedding(weight=%p_w, indices=%x)
      %y: f32[] = aten::sum(self=%e)
      return %y
    }`);
    const rows = [
      [3, 4],
      [1, 2],
    ];
    const given = { program, weights: new Map([["w", weightOf("w", tensor(rows))]]) };
    await using trainer = await createTrainer(given, { backend, optimizer: sgd({ lr: 0.1 }) });
    await trainer.train([tensor([0n])]);
    // The first row gets the norm 1, and then loses the rate times a gradient of 1.
    expect((await weightIn(trainer)).map((value) => value.toFixed(5))).toEqual([
      "0.50000",
      "0.70000",
      "1.00000",
      "2.00000",
    ]);
  });

  it("parameters of float64 are trained with all digits of the numbers of a step", async () => {
    await using trainer = await make({ optimizer: adamW({ lr: 1e-3 }) }, { dtype: "float64" });
    await trainer.train(batch("float64"));
    const [first] = await weightIn(trainer);
    // eps is 1e-8, beside a gradient of 1.
    expect(Math.abs(first! - (1 - 1e-5 - 1e-3 / (1 + 1e-8)))).toBeLessThan(1e-15);
  });

  it("a checkpoint between two updates belongs to a trainer that accumulates as many batches", async () => {
    const trainer = await make({ accumulate: 4 });
    for (let i = 0; i < 3; i++) await trainer.train(batch());
    const between = await trainer.checkpoint();
    await trainer.train(batch());
    const behind = await trainer.checkpoint();
    await expect(make({ accumulate: 2, checkpoint: between })).rejects.toMatchObject({
      code: "train.checkpoint",
      what: "The checkpoint has the gradients of 3 of 4 batches, and `accumulate` is 2",
    });
    await using resumed = await make({ accumulate: 4, checkpoint: between });
    await resumed.train(batch());
    expect(await weightIn(resumed)).toEqual(await weightIn(trainer));
    await trainer.dispose();
    await using halved = await make({ accumulate: 1, checkpoint: behind });
    expect((await halved.train(batch())).step).toBe(2);
  });

  const TWO = `program {
      parameter "w" = %p_w: f32[2]
      parameter "unused" = %p_u: f32[2]
      parameter "frozen" = %p_f: f32[2]
      parameter "tied" = %p_t: f32[2]
      user_input %x: f32[s0, 2]
      forward(x)
      in_spec tuple(tuple(*), dict())
      out_spec *
      %a: f32[s0, 2] = aten::mul.Tensor(self=%x, other=%p_w)
      %b: f32[s0, 2] = aten::add.Tensor(self=%a, other=%p_f)
      %c: f32[s0, 2] = aten::mul.Tensor(self=%b, other=%p_t)
      %y: f32[] = aten::sum(self=%c)
      return %y
    }`;
  const two = (): ProgramSource => {
    const [w, unused, frozen] = ["w", "unused", "frozen"].map((name) => weightOf(name, tensor([1, 2])));
    const learned = { ...w!, requiresGrad: true };
    const weights = { w: learned, unused: { ...unused!, requiresGrad: true }, frozen: frozen!, tied: learned };
    return { program: parse(TWO), weights: new Map(Object.entries(weights)) };
  };

  it("what the loss does not depend on stays as it is, and so does what requires no gradient", async () => {
    const options = { backend, optimizer: adam({ lr: 0.1, weightDecay: 0.5 }), shapes: { x: [2, 2] } };
    await using trainer = await createTrainer(two(), options);
    expect(trainer.parameters).toEqual(["w"]);
    await trainer.train([
      tensor([
        [1, 2],
        [3, 4],
      ]),
    ]);
    const weights = await trainer.weights();
    expect([...weights.keys()].sort()).toEqual(["frozen", "tied", "unused", "w"]);
    const values = (name: string): readonly number[] => [...(weights.get(name)!.data as Float32Array)];
    expect(values("unused")).toEqual([1, 2]);
    expect(values("frozen")).toEqual([1, 2]);
    expect(values("w")).not.toEqual([1, 2]);
    expect(values("tied")).toEqual(values("w"));
    await using all = await createTrainer(two(), { ...options, train: () => true });
    expect(all.parameters).toEqual(["w", "frozen"]);
    const none = createTrainer(two(), { ...options, train: (name) => name === "unused" });
    await expect(none).rejects.toMatchObject({ code: "train.parameters" });
  });

  it("a weight that an embedding reads too gets no adapter, as merged it would change the embedding", async () => {
    const program = parse(`program {
      parameter "head" = %p_h: f32[4, 2]
      parameter "inner" = %p_i: f32[2, 2]
      user_input %x: i64[3]
      forward(x)
      in_spec tuple(tuple(*), dict())
      out_spec *
      %e: f32[3, 2] = aten::embedding(weight=%p_h, indices=%x)
      %i: f32[3, 2] = aten::linear(input=%e, weight=%p_i)
      %l: f32[3, 4] = aten::linear(input=%i, weight=%p_h)
      %y: f32[] = aten::logsumexp(self=%l, dim=[0, 1])
      return %y
    }`);
    const weights = new Map([
      [
        "head",
        weightOf(
          "head",
          tensor([
            [1, 2],
            [3, 4],
            [5, 6],
            [7, 8],
          ]),
        ),
      ],
      [
        "inner",
        weightOf(
          "inner",
          tensor([
            [0.1, 0.2],
            [0.3, 0.4],
          ]),
        ),
      ],
    ]);
    const options = { backend, optimizer: adam({ lr: 0.1 }), lora: { rank: 1 } };
    const x = tensor([1n, 0n, 3n]);
    await using trainer = await createTrainer({ program, weights }, options);
    expect(trainer.parameters).toEqual(["lora.A.inner", "lora.B.inner"]);
    for (let i = 0; i < 3; i++) await trainer.train([x]);
    await using model = await trainer.model();
    const { loss } = await trainer.train([x]);
    expect(((await ((await model.forward(x)) as HostTensor).read()) as Float32Array)[0]).toBeCloseTo(loss, 4);
    const all = createTrainer({ program, weights }, { ...options, lora: { rank: 1, match: () => true } });
    await expect(all).rejects.toMatchObject({ code: "train.options", details: { name: "head" } });
  });

  it("a batch of another size is told what a trainer's sizes are", async () => {
    await using trainer = await createTrainer(two(), { backend, optimizer: sgd(), shapes: { x: [2, 2] } });
    await expect(trainer.train([tensor([[1, 2]])])).rejects.toMatchObject({
      code: "train.batch",
      advice: expect.stringContaining("the last one too"),
    });
    expect(trainer.step).toBe(0);
  });

  it("the signal that could abort loading does not abort a model later", async () => {
    const loading = new AbortController();
    await using trainer = await make({ signal: loading.signal });
    loading.abort();
    await using model = await trainer.model();
    expect(model.inputs).toHaveLength(1);
    await expect(make({ signal: loading.signal })).rejects.toThrow("abort");
  });
});
