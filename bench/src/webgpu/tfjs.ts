import * as tf from "@tensorflow/tfjs-core";
import "@tensorflow/tfjs-backend-webgpu";
import type { HostTensor } from "@pt2/backend";
import { permute } from "./permute.ts";
import type { OpenSubject } from "./subject.ts";

/** How tfjs computes a row from inputs and then weights, and which of its layouts differ. */
interface Row {
  readonly call: (...args: tf.Tensor[]) => tf.Tensor;
  /** Whether the dims of inputs and of the result have to be reordered: channels are last in tfjs. */
  readonly planes?: boolean;
  /** The order of the dims of a convolution's weight. */
  readonly kernel?: readonly number[];
}

const convolution = { strides: 1, pad: "same" } as const;
const EPSILON = 1e-5;

const ROWS: Readonly<Record<string, Row>> = {
  matmul_512: { call: (x, weight) => tf.matMul(x!, weight!) },
  matmul_2048: { call: (x, weight) => tf.matMul(x!, weight!) },
  conv_3x3: {
    call: (x, filter, bias) =>
      tf.fused.conv2d({ x: x as tf.Tensor4D, filter: filter as tf.Tensor4D, bias: bias!, ...convolution }),
    planes: true,
    kernel: [2, 3, 1, 0],
  },
  depthwise_3x3: {
    call: (x, filter, bias) =>
      tf.fused.depthwiseConv2d({ x: x as tf.Tensor4D, filter: filter as tf.Tensor4D, bias: bias!, ...convolution }),
    planes: true,
    kernel: [2, 3, 0, 1],
  },
  softmax: { call: (x) => tf.softmax(x!) },
  layer_norm: {
    call: (x, weight, bias) => {
      const { mean, variance } = tf.moments(x!, -1, true);
      const normal = tf.mul(tf.sub(x!, mean), tf.rsqrt(tf.add(variance, EPSILON)));
      return tf.add(tf.mul(normal, weight!), bias!);
    },
  },
  attention: {
    call: (query, key, value) => {
      const scores = tf.mul(tf.matMul(query!, key!, false, true), 1 / Math.sqrt(query!.shape.at(-1)!));
      return tf.matMul(tf.softmax(scores), value!);
    },
  },
};

/** Opens a row with TensorFlow.js on its WebGPU backend. */
export const openTfjs: OpenSubject = async (row, { inputs, weights }) => {
  const known = ROWS[row];
  if (known === undefined) return null;
  if (!(await tf.setBackend("webgpu"))) throw new Error("tfjs finds no WebGPU");
  const { call, planes = false, kernel } = known;
  const ordered = (tensor: HostTensor, dims: readonly number[] | undefined): Pick<HostTensor, "data" | "shape"> =>
    dims === undefined ? tensor : permute(tensor, dims);
  const toTensor = ({ data, shape }: Pick<HostTensor, "data" | "shape">): tf.Tensor =>
    tf.tensor(data as Float32Array, [...shape], "float32");
  const given = inputs.map((input) => ordered(input, planes ? [0, 2, 3, 1] : undefined));
  const parameters = weights.map((weight) => toTensor(ordered(weight, weight.shape.length === 4 ? kernel : undefined)));
  return {
    run: async () => {
      const result = tf.tidy(() => call(...given.map(toTensor), ...parameters));
      const data = await result.data<"float32">();
      result.dispose();
      return [data];
    },
    arrange: ([data]) =>
      planes ? [permute({ data: data as Float32Array, shape: given[0]!.shape }, [0, 3, 1, 2]).data] : [data!],
  };
};
