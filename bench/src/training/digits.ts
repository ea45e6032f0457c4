import { fileURLToPath } from "node:url";
import { lax, nn, numpy as np } from "@jax-js/jax";
import { randn } from "@pt2/runtime/node";
import * as tf from "@tensorflow/tfjs-core";
import type { Task } from "./task.ts";

const FOLDER = fileURLToPath(new URL("../../../examples/digits/", import.meta.url));

/** The layers: convolution, batch norm, and whether a pool follows. */
const BLOCKS: readonly (readonly [conv: string, norm: string, isPooled: boolean])[] = [
  ["features.0.0", "features.0.1", false],
  ["features.1.0", "features.1.1", true],
  ["features.3.0", "features.3.1", true],
];
const EPSILON = 1e-5;

/** The digits network of `examples/digits`: pictures of noise with labels in turn, which is as much work as any. */
export function digits(size: number): Task {
  return {
    name: `digits network, batch of ${size}`,
    program: `${FOLDER}digits.pt2`,
    source: `${FOLDER}train.py`,
    module: "Digits",
    input: "image",
    batch: randn([size, 1, 8, 8], { seed: 1 }),
    labels: Array.from({ length: size }, (_, i) => i % 10),
    classes: 10,
    jax(weights, x) {
      let h = x;
      for (const [conv, norm, isPooled] of BLOCKS) {
        h = lax.conv(h, weights[`${conv}.weight`]!, [1, 1], "SAME");
        const row = (name: string): np.Array => weights[`${norm}.${name}`]!.reshape([1, h.shape[1]!, 1, 1]);
        h = h.sub(row("running_mean")).div(np.sqrt(row("running_var").add(EPSILON)));
        h = nn.relu(h.mul(row("weight")).add(row("bias")));
        if (!isPooled) continue;
        const [n, c, height, width] = h.shape as [number, number, number, number];
        h = np.max(np.max(h.reshape([n, c, height / 2, 2, width / 2, 2]), 5), 3);
      }
      const weight = weights["classifier.weight"]!;
      return np.matmul(h.reshape([size, -1]), np.transpose(weight)).add(weights["classifier.bias"]!);
    },
    tfjs(weights, x) {
      // Channels are last in tfjs.
      let h = tf.transpose(x, [0, 2, 3, 1]) as tf.Tensor4D;
      for (const [conv, norm, isPooled] of BLOCKS) {
        const row = (name: string): tf.Tensor1D => weights[`${norm}.${name}`] as tf.Tensor1D;
        const filter = tf.transpose(weights[`${conv}.weight`] as tf.Tensor4D, [2, 3, 1, 0]);
        h = tf.conv2d(h, filter as tf.Tensor4D, 1, "same");
        const scale = tf.div(row("weight"), tf.sqrt(tf.add(row("running_var"), EPSILON)));
        h = tf.relu(tf.add(tf.mul(tf.sub(h, row("running_mean")), scale), row("bias")));
        if (isPooled) h = tf.maxPool(h, 2, 2, "valid");
      }
      const features = tf.reshape(tf.transpose(h, [0, 3, 1, 2]), [size, -1]);
      return tf.add(tf.matMul(features, weights["classifier.weight"]!, false, true), weights["classifier.bias"]!);
    },
  };
}
