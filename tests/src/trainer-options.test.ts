import type { Backend } from "@pt2/backend";
import { wasm } from "@pt2/backend-wasm/node";
import { weightOf } from "@pt2/conformance";
import { Pt2Error } from "@pt2/format";
import { parse } from "@pt2/graph";
import { type HostTensor, type ProgramSource, tensor } from "@pt2/runtime/node";
import { adamW, createTrainer, sgd, type Trainer, type TrainerOptions } from "@pt2/train";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const f32 = (data: readonly number[]): HostTensor => tensor("float32", [data.length], Float32Array.from(data));

/** The loss is the sum of x w + v. */
const source = (): ProgramSource => ({
  program: parse(`program {
    parameter "w" = %p_w: f32[2]
    parameter "v" = %p_v: f32[2]
    user_input %x: f32[2]
    forward(x)
    in_spec tuple(tuple(*), dict())
    out_spec *
    %m: f32[2] = aten::mul.Tensor(self=%x, other=%p_w)
    %a: f32[2] = aten::add.Tensor(self=%m, other=%p_v)
    %y: f32[] = aten::sum(self=%a)
    return %y
  }`),
  weights: new Map([
    ["w", weightOf("w", f32([1, 2]))],
    ["v", weightOf("v", f32([3, 4]))],
  ]),
});
const batch = [f32([1, 2])];

/** What callers in plain JavaScript may pass. */
type Loose = Readonly<Record<string, unknown>>;

describe("what trainers refuse", () => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await wasm({ worker: false });
  });
  afterAll(() => backend.dispose());

  const make = async (options: Loose = {}, of: unknown = source()): Promise<Trainer> => {
    const given = { backend, optimizer: sgd({ lr: 0.1 }), ...options } as unknown as TrainerOptions;
    return await createTrainer(of as ProgramSource, given);
  };
  const refusal = async (work: () => Promise<unknown>): Promise<string> => {
    const problem = await work().then(
      () => "accepted",
      (error: unknown) => error,
    );
    return problem instanceof Pt2Error ? `${problem.code}: ${problem.what}` : String(problem);
  };

  it.each<[string, Loose, string]>([
    ["a name", { clip_norm: 1 }, "createTrainer() does not take `{ clip_norm: 1 }`; did you mean `clipNorm`?"],
    ["no optimizer", { optimizer: undefined }, "createTrainer() needs the option `optimizer`"],
    ["a name of one", { optimizer: "sgd" }, 'createTrainer() does not take `{ optimizer: "sgd" }`'],
    ["what is none", { optimizer: {} }, "`optimizer` of createTrainer is not an optimizer, such as adamW() or sgd()"],
    ["a text", { clipNorm: "1" }, 'createTrainer() does not take `{ clipNorm: "1" }`'],
    ["zero", { clipValue: 0 }, "clipValue must be above 0"],
    ["a part", { accumulate: 1.5 }, "accumulate must be an integer from 1, not 1.5"],
    ["a constant schedule", { schedule: 5 }, "createTrainer() does not take `{ schedule: 5 }`"],
    ["a promise", { train: async () => true }, "createTrainer() does not take `{ train: AsyncFunction }`"],
    ["no list", { groups: {} }, "createTrainer() does not take `{ groups: object }`"],
    ["no match", { groups: [{ lr: 0.1 }] }, "groups[0] needs the option `match`"],
    ["a rate", { groups: [{ match: () => true, lr: Number.NaN }] }, "groups[0] does not take `{ lr: NaN }`"],
    ["no map", { weights: {} }, "createTrainer() does not take `{ weights: object }`"],
    ["a name of a loss", { loss: { op: "aten::mse_loss" } }, '`loss` does not take `{ op: "aten::mse_loss" }`'],
    [
      "a name of adapters",
      { lora: { rank: 2, aplha: 1 } },
      "`lora` does not take `{ aplha: 1 }`; did you mean `alpha`?",
    ],
  ])("%s: %o", async (_, options, what) => {
    expect(await refusal(() => make(options))).toBe(`train.options: ${what}`);
  });

  it("options that are left out", async () => {
    expect(await refusal(() => createTrainer(source(), undefined as never))).toBe(
      "train.options: createTrainer() does not take `undefined`",
    );
  });

  it("groups without a parameter", async () => {
    const [all, none] = [{ match: () => true }, { match: (name: string) => name === "nope", lr: 0.1 }];
    expect(await refusal(() => make({ groups: [none] }))).toBe("train.parameters: groups[0] has no parameter");
    expect(await refusal(() => make({ groups: [all, all] }))).toBe("train.parameters: groups[1] has no parameter");
  });

  it("sources that are not open", async () => {
    expect(await refusal(() => make({}, "m.pt2"))).toBe("train.options: The source is a text");
    expect(await refusal(() => make({}, {}))).toMatch(/^train.options: The source is not an object with/);
    expect(await refusal(() => make({}, null))).toMatch(/^train.options: The source is not an object with/);
  });

  it("losses that do not exist", async () => {
    expect(await refusal(() => make({ loss: { loss: "aten::nope" } }))).toBe(
      "autograd.unknown-op: aten::nope is not known",
    );
  });

  it("factors that would spoil all weights; a step that fails changes nothing", async () => {
    for (const factor of [undefined, Number.NaN, -1, "1"]) {
      await using trainer = await make({ schedule: () => factor });
      expect(await refusal(() => trainer.train(batch))).toBe(
        `train.options: \`schedule\` must return a finite number that is not negative, and it returned ${factor} for step 1`,
      );
      expect((await trainer.weights()).get("w")!.data).toEqual(Float32Array.of(1, 2));
      expect(trainer.step).toBe(0);
    }
    await using still = await make({ schedule: () => 0 });
    await still.train(batch);
    expect((await still.weights()).get("w")!.data).toEqual(Float32Array.of(1, 2));
  });

  it("batches that are not the inputs of the program", async () => {
    await using trainer = await make();
    const train = (given?: unknown) => refusal(() => trainer.train(given as typeof batch));
    expect(await train()).toBe("train.batch: A batch has 1 inputs (x), but got nothing");
    expect(await train([])).toBe("train.batch: A batch has 1 inputs (x), but got an array of 0");
    expect(await train([...batch, ...batch])).toBe("train.batch: A batch has 1 inputs (x), but got an array of 2");
    expect(await train({ x: batch[0] })).toBe("train.batch: A batch has 1 inputs (x), but got no array");
    const fit = async (given: unknown) => {
      for await (const _ of trainer.fit(given as never));
    };
    expect(await refusal(() => fit(5))).toBe("train.batch: The batches are of type number, not iterable");
    expect(await refusal(() => fit({}))).toBe("train.batch: The batches are an object that is not iterable");
    expect(trainer.step).toBe(0);
  });

  it("nothing else: a backend that is made meanwhile, a limit that is infinite, weights that are frozen", async () => {
    const failing = Promise.reject(new Error("no backend"));
    expect(await refusal(() => make({ backend: failing }))).toBe("Error: no backend");
    await using trainer = await make({
      backend: Promise.resolve(backend),
      optimizer: adamW({ lr: 0.1 }),
      clipNorm: Infinity,
      train: (name: string) => name === "w",
    });
    const { gradientNorm } = await trainer.train(batch);
    expect(gradientNorm).toBeCloseTo(Math.sqrt(5), 5);
    const weights = await trainer.weights();
    expect([...weights.keys()]).toEqual(["w", "v"]);
    expect(weights.get("v")!.data).toEqual(Float32Array.of(3, 4));
  });
});
