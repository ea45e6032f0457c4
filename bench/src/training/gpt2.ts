import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { nn, numpy as np } from "@jax-js/jax";
import { tensor } from "@pt2/runtime/node";
import * as tf from "@tensorflow/tfjs-core";
import type { Named, Task } from "./task.ts";

const SOURCE = fileURLToPath(new URL("../../../scripts/python/bench_gpt2.py", import.meta.url));
/** As in `bench_gpt2.py`. */
const [VOCABULARY, LENGTH, WIDTH, BLOCKS, HEADS] = [512, 64, 128, 4, 4];
const EPSILON = 1e-5;

/** A small GPT-2 on tokens that follow a rule, with a batch of this size. Its program is exported by Python. */
export function gpt2(size: number, python: string): Task {
  const folder = mkdtempSync(join(tmpdir(), "pt2-bench-"));
  process.once("exit", () => rmSync(folder, { recursive: true }));
  const program = join(folder, "gpt2.pt2");
  const { status, stderr } = spawnSync(python, ["-W", "ignore", SOURCE, program], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr.slice(-2000));
  const tokens = Array.from({ length: size * LENGTH }, (_, i) => (i * 37) % VOCABULARY);
  return {
    name: `GPT-2 of four blocks, ${size} texts of ${LENGTH} tokens`,
    program,
    source: SOURCE,
    module: "Gpt2",
    input: "tokens",
    batch: tensor("int64", [size, LENGTH], tokens),
    labels: tokens.map((token) => (token + 37) % VOCABULARY),
    classes: VOCABULARY,
    jax: (weights, x) => jaxLogits(weights, x, size),
    tfjs: (weights, x) => tfjsLogits(weights, x, size),
  };
}

const HEAD = WIDTH / HEADS;
/** What is added to the scores of tokens that are not yet known. */
const MASK = Array.from({ length: LENGTH * LENGTH }, (_, i) =>
  i % LENGTH > Math.floor(i / LENGTH) ? Number.MIN_SAFE_INTEGER : 0,
);

/** Each use of an array consumes it, unless it is a `ref`; an embedding is a product with one-hot rows. */
function jaxLogits(weights: Named<np.Array>, tokens: np.Array, size: number): np.Array {
  const w = (name: string): np.Array => weights[name]!.ref;
  const norm = (x: np.Array, name: string): np.Array =>
    nn
      .standardize(x, -1, { epsilon: EPSILON })
      .mul(w(`${name}.weight`))
      .add(w(`${name}.bias`));
  const linear = (x: np.Array, name: string): np.Array =>
    np.matmul(x, np.transpose(w(`${name}.weight`))).add(w(`${name}.bias`));
  const mask = np.array(Float32Array.from(MASK), { shape: [LENGTH, LENGTH] });
  const embedded = np.matmul(nn.oneHot(tokens.reshape([-1]), VOCABULARY), w("wte.weight"));
  let x = embedded.reshape([size, LENGTH, WIDTH]).add(w("wpe.weight"));
  for (let i = 0; i < BLOCKS; i++) {
    const all = linear(norm(x.ref, `h.${i}.ln_1`), `h.${i}.c_attn`).reshape([size, LENGTH, 3, HEADS, HEAD]);
    const [q, k, v] = np
      .split(np.transpose(all, [2, 0, 3, 1, 4]), 3, 0)
      .map((part) => part.reshape([size, HEADS, LENGTH, HEAD]));
    const scores = np
      .matmul(q!, np.matrixTranspose(k!))
      .mul(1 / Math.sqrt(HEAD))
      .add(mask.ref);
    const seen = np.transpose(np.matmul(nn.softmax(scores, -1), v!), [0, 2, 1, 3]).reshape([size, LENGTH, WIDTH]);
    x = x.add(linear(seen, `h.${i}.c_proj`));
    const hidden = nn.gelu(linear(norm(x.ref, `h.${i}.ln_2`), `h.${i}.c_fc`), { approximate: true });
    x = x.add(linear(hidden, `h.${i}.c_out`));
  }
  return np.matmul(norm(x, "ln_f"), np.transpose(w("lm_head.weight"))).reshape([size * LENGTH, VOCABULARY]);
}

function tfjsLogits(weights: Named<tf.Tensor>, tokens: tf.Tensor, size: number): tf.Tensor {
  const w = (name: string): tf.Tensor => weights[name]!;
  const norm = (x: tf.Tensor, name: string): tf.Tensor => {
    const { mean, variance } = tf.moments(x, -1, true);
    const normal = tf.mul(tf.sub(x, mean), tf.rsqrt(tf.add(variance, EPSILON)));
    return tf.add(tf.mul(normal, w(`${name}.weight`)), w(`${name}.bias`));
  };
  const product = (x: tf.Tensor, name: string): tf.Tensor => tf.matMul(x, w(`${name}.weight`), false, true);
  const linear = (x: tf.Tensor, name: string): tf.Tensor => tf.add(product(x, name), w(`${name}.bias`));
  const gelu = (x: tf.Tensor): tf.Tensor => {
    const inner = tf.mul(Math.sqrt(2 / Math.PI), tf.mul(x, tf.add(1, tf.mul(0.044715, tf.square(x)))));
    return tf.mul(tf.mul(0.5, x), tf.add(1, tf.tanh(inner)));
  };
  const mask = tf.tensor2d(MASK, [LENGTH, LENGTH]);
  const embedded = tf.matMul(tf.cast(tf.oneHot(tf.reshape(tokens, [-1]), VOCABULARY), "float32"), w("wte.weight"));
  // Rows of all texts are one dimension; the products of tfjs take no more dimensions on one side than on the other.
  let x = tf.reshape(tf.add(tf.reshape(embedded, [size, LENGTH, WIDTH]), w("wpe.weight")), [-1, WIDTH]);
  for (let i = 0; i < BLOCKS; i++) {
    const all = tf.reshape(linear(norm(x, `h.${i}.ln_1`), `h.${i}.c_attn`), [size, LENGTH, 3, HEADS, HEAD]);
    const [q, k, v] = tf.split(tf.transpose(all, [2, 0, 3, 1, 4]), 3).map((part) => tf.squeeze(part, [0]));
    const scores = tf.add(tf.mul(tf.matMul(q!, k!, false, true), 1 / Math.sqrt(HEAD)), mask);
    const seen = tf.reshape(tf.transpose(tf.matMul(tf.softmax(scores), v!), [0, 2, 1, 3]), [-1, WIDTH]);
    x = tf.add(x, linear(seen, `h.${i}.c_proj`));
    x = tf.add(x, linear(gelu(linear(norm(x, `h.${i}.ln_2`), `h.${i}.c_fc`)), `h.${i}.c_out`));
  }
  return product(norm(x, "ln_f"), "lm_head");
}
