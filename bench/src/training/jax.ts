import { defaultDevice, init, jit, lax, nn, numpy as np, valueAndGrad } from "@jax-js/jax";
import { type Batch, type Initial, RATE, type Trained } from "./task.ts";

type Weights = Record<string, np.Array>;

/** The layers: convolution, batch norm, and whether a pool follows. */
const BLOCKS: readonly (readonly [conv: string, norm: string, isPooled: boolean])[] = [
  ["features.0.0", "features.0.1", false],
  ["features.1.0", "features.1.1", true],
  ["features.3.0", "features.3.1", true],
];

/** jax-js on its WebAssembly device: the same network and the same Adam, compiled by `jit`. */
export async function jax({ numbers, classes }: Batch, weights: ReadonlyMap<string, Initial>): Promise<Trained> {
  await init("wasm");
  defaultDevice("wasm");
  const size = classes.length;
  const arrayOf = (data: Float32Array, shape: readonly number[]): np.Array =>
    np.array(data.slice(), { shape: [...shape] });
  const given = (name: string): Initial => weights.get(name)!;
  const trained = [...weights.keys()].filter((name) => !/running|tracked/.test(name));
  const one = new Float32Array(size * 10);
  for (const [i, label] of classes.entries()) one[i * 10 + label] = 1;

  const loss = (parameters: Weights, x: np.Array, y: np.Array): np.Array => {
    let h = x;
    for (const [conv, norm, isPooled] of BLOCKS) {
      const mean = given(`${norm}.running_mean`).data;
      const scale = given(`${norm}.running_var`).data.map((variance) => 1 / Math.sqrt(variance + 1e-5));
      const channels = (data: Float32Array): np.Array => arrayOf(data, [1, data.length, 1, 1]);
      h = lax.conv(h, parameters[`${conv}.weight`]!, [1, 1], "SAME");
      h = h.sub(channels(mean)).mul(channels(scale));
      h = h.mul(parameters[`${norm}.weight`]!.reshape([1, mean.length, 1, 1]));
      h = nn.relu(h.add(parameters[`${norm}.bias`]!.reshape([1, mean.length, 1, 1])));
      if (!isPooled) continue;
      const [n, c, height, width] = h.shape as [number, number, number, number];
      h = h.reshape([n, c, height / 2, 2, width / 2, 2]);
      h = np.max(np.max(h, 5), 3);
    }
    const features = h.reshape([size, -1]);
    const weight = parameters["classifier.weight"]!;
    const logits = np.matmul(features, np.transpose(weight)).add(parameters["classifier.bias"]!);
    return nn
      .logSoftmax(logits, 1)
      .mul(y)
      .sum()
      .mul(-1 / size);
  };
  const gradients = valueAndGrad(loss);
  const update = jit((w: Weights, m: Weights, v: Weights, numbersOfStep: np.Array, x: np.Array, y: np.Array) => {
    const kept: Weights = {};
    for (const name of trained) kept[name] = w[name]!.ref;
    const [value, grads] = gradients(w, x, y) as [np.Array, Weights];
    const [next, means, squares]: [Weights, Weights, Weights] = [{}, {}, {}];
    for (const name of trained) {
      const g = grads[name]!;
      const mean = m[name]!.mul(0.9).add(g.ref.mul(0.1));
      const square = v[name]!.mul(0.999).add(g.ref.mul(g).mul(0.001));
      const root = np.sqrt(square.ref).mul(numbersOfStep.ref.slice(1)).add(1e-8);
      next[name] = kept[name]!.sub(mean.ref.mul(numbersOfStep.ref.slice(0)).div(root));
      means[name] = mean;
      squares[name] = square;
    }
    numbersOfStep.dispose();
    return [next, means, squares, value] as [Weights, Weights, Weights, np.Array];
  });

  const all = (make: (initial: Initial) => np.Array): Weights =>
    Object.fromEntries(trained.map((name) => [name, make(given(name))]));
  let state: [Weights, Weights, Weights] = [
    all(({ data, shape }) => arrayOf(data, shape)),
    all(({ shape }) => np.zeros([...shape])),
    all(({ shape }) => np.zeros([...shape])),
  ];
  const [x, y] = [arrayOf(numbers, [size, 1, 8, 8]), arrayOf(one, [size, 10])];
  let step = 0;
  return {
    async step() {
      step++;
      const ofStep = arrayOf(Float32Array.of(RATE / (1 - 0.9 ** step), 1 / Math.sqrt(1 - 0.999 ** step)), [2]);
      const [w, m, v, value] = update(...state, ofStep, x.ref, y.ref) as [Weights, Weights, Weights, np.Array];
      state = [w, m, v];
      return (await value.jsAsync()) as number;
    },
    release: async () => {},
  };
}
