import { grad, withLoss } from "@pt2/autograd";
import { wasm } from "@pt2/backend-wasm/node";
import { weightOf } from "@pt2/conformance";
import { fromBytes, openArchive } from "@pt2/format";
import { type Program, parse } from "@pt2/graph";
import { defineOp, type OpSet } from "@pt2/registry";
import { type HostTensor, load, openProgram, randn, tensor } from "@pt2/runtime/node";
import { adamW, createTrainer, sgd } from "@pt2/train";
import { describe, expect, it } from "vitest";
import { fixturePath } from "./fixture.ts";

const f32 = (shape: readonly number[], data: readonly number[]): HostTensor =>
  tensor("float32", shape, Float32Array.from(data));
const numbers = async (found: { read(): Promise<unknown> }): Promise<readonly number[]> =>
  Array.from((await found.read()) as Float32Array);

describe("training", () => {
  it("PyTorch's program of forward and backward is trained, with batches of any size that it allows", async () => {
    await using backend = await wasm({ worker: false });
    const source = await openProgram(fixturePath("joint/classifier.pt2"));
    await using trainer = await createTrainer(source, { backend, optimizer: adamW({ lr: 1e-2 }) });
    const before = await trainer.weights();
    const batch = (size: number) => [
      randn([size, 1, 4, 4], { seed: size }),
      tensor(
        "int64",
        [size],
        BigInt64Array.from({ length: size }, (_, i) => BigInt(i % 5)),
      ),
    ];
    const losses: number[] = [];
    for await (const { loss } of trainer.fit(Array(40).fill(batch(5)))) losses.push(loss);
    expect(losses.at(-1)).toBeLessThan(losses[0]! / 2);
    await trainer.train(batch(3));
    const after = await trainer.weights();
    // Running statistics follow the batches, and count them.
    expect(after.get("norm.running_mean")!.data).not.toEqual(before.get("norm.running_mean")!.data);
    expect(after.get("norm.num_batches_tracked")!.data).toEqual(BigInt64Array.of(41n));
    await using model = await load(fromBytes(await trainer.save()), { backend });
    const { loss } = await model.step!(...batch(5));
    expect((await numbers(loss))[0]).toBeLessThan(losses[0]!);
  });

  it("dropout of the forward pass is that of the gradient", async () => {
    const program = parse(`program {
      user_input %x: f32[64]
      forward(x)
      in_spec tuple(tuple(*), dict())
      out_spec tuple(*, *)
      %d: f32[64] = aten::dropout(input=%x, p=0.25, train=true)
      %s: f32[] = aten::sum(self=%d)
      return %s, %d
    }`);
    await using backend = await wasm({ worker: false });
    const differentiated = await grad(program, { of: 0, wrt: ["x"] });
    await using model = await load({ program: differentiated, weights: new Map() }, { backend });
    const ones = f32([64], new Array(64).fill(1));
    const masks: (readonly number[])[] = [];
    for (let run = 0; run < 3; run++) {
      const { outputs, inputGradients } = await model.step!<readonly HostTensor[]>(ones);
      const dropped = await numbers(outputs[1]!);
      expect(await numbers(inputGradients.x!)).toEqual(dropped);
      masks.push(dropped);
    }
    expect(new Set(masks.flat())).toEqual(new Set([0, Math.fround(1 / 0.75)]));
    expect(masks[0]).not.toEqual(masks[1]);
  });

  it("parameters that share memory stay one, in training and in the file", async () => {
    await using backend = await wasm({ worker: false });
    const tied = tiedSource();
    await using trainer = await createTrainer(tied, { backend, optimizer: sgd({ lr: 0.1 }) });
    expect(trainer.parameters).toEqual(["a"]);
    await trainer.train([f32([2], [1, 2])]);
    // The loss is the sum of x a b with a = b: its gradient is 2 x a.
    expect((await numbers((await trainer.weights()).get("a")!)).map((value) => value.toFixed(5))).toEqual([
      "0.80000",
      "1.20000",
    ]);
    const file = fromBytes(await trainer.save());
    const weights = await (await openArchive(file)).weights();
    expect(weights.get("a")!.storage.id).toBe(weights.get("b")!.storage.id);
    await using model = await load(file, { backend });
    const [loss] = (await model.runFlat([f32([2], [1, 1])])) as readonly HostTensor[];
    expect((await numbers(loss!))[0]).toBeCloseTo(0.8 ** 2 + 1.2 ** 2, 5);
  });

  it.each(["a", "b"])(
    "parameters that share memory begin together with the value that is given for %s",
    async (name) => {
      await using backend = await wasm({ worker: false });
      const options = { backend, optimizer: sgd({ lr: 0.1 }), weights: new Map([[name, f32([2], [2, 3])]]) };
      await using trainer = await createTrainer(tiedSource(), options);
      expect((await trainer.train([f32([2], [1, 2])])).loss).toBeCloseTo(1 * 2 * 2 + 2 * 3 * 3, 4);
    },
  );

  it("the backward op of transformers' experts gives rows and matrices the gradients of their groups", async () => {
    const program = parse(`program {
      user_input %x: f32[3, 2]
      user_input %w: f32[2, 2, 1]
      user_input %ends: i32[2]
      user_input %g: f32[3, 1]
      forward(x, w, ends, g)
      in_spec tuple(tuple(*, *, *, *), dict())
      out_spec tuple(*, *)
      both: %gx: f32[3, 2], %gw: f32[2, 2, 1] = transformers::grouped_mm_fallback_backward(input=%x, weight=%w, offs=%ends, grad_output=%g)
      return %gx, %gw
    }`);
    await using backend = await wasm({ worker: false });
    await using model = await load({ program, weights: new Map() }, { backend });
    const [x, w, g] = [f32([3, 2], [1, 2, 3, 4, 5, 6]), f32([2, 2, 1], [1, 1, 1, 10]), f32([3, 1], [1, 2, 3])];
    const run = async (...ends: readonly number[]) => {
      const results = await model.runFlat([x, w, tensor("int32", [2], Int32Array.from(ends)), g]);
      return Promise.all((results as readonly HostTensor[]).map(numbers));
    };
    expect(await run(1, 3)).toEqual([
      [1, 1, 2, 20, 3, 30],
      [1, 2, 21, 26],
    ]);
    expect(await run(2, 2)).toEqual([
      [1, 1, 2, 2, 0, 0],
      [7, 10, 0, 0],
    ]);
  });

  it("ops of one's own are trained through", async () => {
    const square: OpSet = {
      name: "mine",
      ops: [
        defineOp("mine::square(Tensor self) -> Tensor", {
          decompose: ({ self }, b) => b.tensor("aten::mul.Tensor", { self, other: self }),
        }),
      ],
    };
    const program: Program = parse(`program {
      parameter "w" = %p_w: f32[3]
      user_input %x: f32[3]
      forward(x)
      in_spec tuple(tuple(*), dict())
      out_spec *
      %m: f32[3] = aten::mul.Tensor(self=%x, other=%p_w)
      %y: f32[3] = mine::square(self=%m)
      return %y
    }`);
    await using backend = await wasm();
    const source = { program, weights: weightsOf({ w: [1, 1, 1] }) };
    const options = { backend, ops: [square], loss: { loss: "aten::mse_loss" } };
    await using trainer = await createTrainer(source, { ...options, optimizer: sgd({ lr: 0.05 }) });
    const batch = [f32([3], [1, 2, 0.5]), f32([3], [4, 1, 1])];
    const losses: number[] = [];
    for await (const { loss } of trainer.fit(Array(200).fill(batch))) losses.push(loss);
    expect(losses.at(-1)).toBeLessThan(1e-3);
    expect(withLoss(program, { loss: "aten::mse_loss" }).forwardArgs).toEqual(["x", "target"]);
  });
});

/** Weights in memory, of one dimension. */
function weightsOf(values: Readonly<Record<string, readonly number[]>>) {
  return new Map(Object.entries(values).map(([name, data]) => [name, weightOf(name, f32([data.length], data))]));
}

function tiedSource() {
  const program = parse(`program {
    parameter "a" = %p_a: f32[2]
    parameter "b" = %p_b: f32[2]
    user_input %x: f32[2]
    forward(x)
    in_spec tuple(tuple(*), dict())
    out_spec *
    %m: f32[2] = aten::mul.Tensor(self=%x, other=%p_a)
    %n: f32[2] = aten::mul.Tensor(self=%m, other=%p_b)
    %y: f32[] = aten::sum(self=%n)
    return %y
  }`);
  const weights = weightsOf({ a: [1, 2] });
  const a = weights.get("a")!;
  return { program, weights: new Map([...weights, ["b", { ...a, name: "b" }]]) };
}
