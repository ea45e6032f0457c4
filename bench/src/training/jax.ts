import { defaultDevice, init, jit, nn, numpy as np, valueAndGrad } from "@jax-js/jax";
import { type Initial, type Named, RATE, type Task, type Trained } from "./task.ts";

type Weights = Record<string, np.Array>;

/** jax-js on one of its devices: the same network and the same Adam, compiled by `jit`. */
export async function jax(
  device: "wasm" | "webgpu",
  task: Task,
  weights: ReadonlyMap<string, Initial>,
): Promise<Trained> {
  if (!(await init(device)).includes(device)) throw new Error(`jax-js has no ${device} here`);
  defaultDevice(device);
  const { batch, labels, classes } = task;
  const trained = [...weights].filter(([, { isTrained }]) => isTrained).map(([name]) => name);
  const one = new Float32Array(labels.length * classes);
  for (const [i, label] of labels.entries()) one[i * classes + label] = 1;

  const loss = (parameters: Weights, x: np.Array, y: np.Array): np.Array =>
    nn
      .logSoftmax(task.jax(withBuffers(parameters, weights), x), 1)
      .mul(y)
      .sum()
      .mul(-1 / labels.length);
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
    Object.fromEntries(trained.map((name) => [name, make(weights.get(name)!)]));
  let state: [Weights, Weights, Weights] = [
    all(arrayOf),
    all(({ shape }) => np.zeros([...shape])),
    all(({ shape }) => np.zeros([...shape])),
  ];
  const numbers = Array.from(batch.data as ArrayLike<number | bigint>, Number);
  const isWhole = batch.dtype === "int64";
  const x = isWhole
    ? np.array(Int32Array.from(numbers), { shape: [...batch.shape], dtype: np.int32 })
    : np.array(Float32Array.from(numbers), { shape: [...batch.shape] });
  const y = np.array(one, { shape: [labels.length, classes] });
  let step = 0;
  return {
    async step() {
      step++;
      const data = Float32Array.of(RATE / (1 - 0.9 ** step), 1 / Math.sqrt(1 - 0.999 ** step));
      const [w, m, v, value] = update(...state, np.array(data, { shape: [2] }), x.ref, y.ref) as [
        Weights,
        Weights,
        Weights,
        np.Array,
      ];
      state = [w, m, v];
      return (await value.jsAsync()) as number;
    },
    release: async () => {},
  };
}

/** The parameters, with the buffers as the constants that they are. */
function withBuffers(parameters: Weights, weights: ReadonlyMap<string, Initial>): Named<np.Array> {
  const buffers = [...weights].filter(([, { isTrained }]) => !isTrained);
  return { ...parameters, ...Object.fromEntries(buffers.map(([name, initial]) => [name, arrayOf(initial)])) };
}

function arrayOf({ data, shape }: Initial): np.Array {
  return np.array(data.slice(), { shape: [...shape] });
}
