import * as tf from "@tensorflow/tfjs-core";
import { build } from "esbuild";
import { type Initial, RATE, type Task, type Trained } from "./task.ts";

/** Does what importing all of tfjs does in a page. Node cannot import the files as they are, but their bundle. */
async function registerGradients(): Promise<void> {
  const { outputFiles } = await build({
    stdin: {
      contents: 'import "@tensorflow/tfjs-core/dist/register_all_gradients.js";',
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    write: false,
    format: "esm",
    logLevel: "error",
  });
  await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0]!.contents).toString("base64")}`);
}

/** TensorFlow.js on its WebGPU backend, with its own Adam. */
export async function tfjs(task: Task, weights: ReadonlyMap<string, Initial>): Promise<Trained> {
  // The backend registers itself where it finds WebGPU when it is imported.
  await import("@tensorflow/tfjs-backend-webgpu");
  await registerGradients();
  if (!(await tf.setBackend("webgpu"))) throw new Error("tfjs finds no WebGPU");
  const { batch, labels, classes } = task;
  const all: Record<string, tf.Tensor> = {};
  const trained: tf.Variable[] = [];
  for (const [name, { data, shape, isTrained }] of weights) {
    const made = tf.tensor(data, [...shape], "float32");
    all[name] = isTrained ? tf.variable(made, true) : made;
    if (isTrained) trained.push(all[name] as tf.Variable);
  }
  const numbers = Array.from(batch.data as ArrayLike<number | bigint>, Number);
  const x = tf.tensor(numbers, [...batch.shape], batch.dtype === "int64" ? "int32" : "float32");
  const y = tf.cast(tf.oneHot(tf.tensor1d([...labels], "int32"), classes), "float32");
  const optimizer = tf.train.adam(RATE, 0.9, 0.999, 1e-8);
  return {
    async step() {
      const { value, grads } = tf.variableGrads(
        () => tf.neg(tf.mean(tf.sum(tf.mul(tf.logSoftmax(task.tfjs(all, x)), y), 1))) as tf.Scalar,
        trained,
      );
      optimizer.applyGradients(Object.entries(grads).map(([name, tensor]) => ({ name, tensor })));
      tf.dispose(grads);
      const [loss] = await value.data<"float32">();
      value.dispose();
      return loss!;
    },
    release: async () => {
      tf.dispose([...Object.values(all), x, y]);
      optimizer.dispose();
    },
  };
}
