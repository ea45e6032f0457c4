import { defaultDevice, init, type Array as JaxArray, jit, lax, nn, numpy as np } from "@jax-js/jax";
import type { HostTensor } from "@pt2/backend";
import type { OpenSubject } from "./subject.ts";

/**
 * The functions that are compiled, of inputs and then weights. Each use of an array consumes it, unless it is a `ref`.
 */
const FUNCTIONS: Readonly<Record<string, (...args: JaxArray[]) => JaxArray>> = {
  matmul_512: (x, weight) => np.matmul(x!, weight!),
  matmul_2048: (x, weight) => np.matmul(x!, weight!),
  conv_3x3: (x, weight, bias) => convolution(x!, weight!, bias!, 1),
  depthwise_3x3: (x, weight, bias) => convolution(x!, weight!, bias!, 96),
  softmax: (x) => nn.softmax(x!, -1),
  layer_norm: (x, weight, bias) => nn.standardize(x!, -1).mul(weight!).add(bias!),
  // The attention is written out because nn.dotProductAttention needs iterator helpers, which Node 20 does not have.
  attention: (query, key, value) => {
    const scale = 1 / Math.sqrt(key!.shape.at(-1)!);
    return np.matmul(nn.softmax(np.matmul(query!, np.matrixTranspose(key!)).mul(scale), -1), value!);
  },
};

function convolution(x: JaxArray, weight: JaxArray, bias: JaxArray, featureGroupCount: number): JaxArray {
  const padding: [number, number][] = [
    [1, 1],
    [1, 1],
  ];
  return lax.convGeneralDilated(x, weight, [1, 1], padding, { featureGroupCount }).add(bias.reshape([-1, 1, 1]));
}

/** Opens a row with jax-js, compiled with `jit`. */
export const openJax: OpenSubject = async (row, { inputs, weights }) => {
  const call = FUNCTIONS[row];
  if (call === undefined) return null;
  if (!(await init("webgpu")).includes("webgpu")) throw new Error("jax-js finds no WebGPU");
  defaultDevice("webgpu");
  const toArray = ({ data, shape }: HostTensor): JaxArray =>
    np.array(data as Float32Array<ArrayBuffer>).reshape([...shape]);
  const parameters = weights.map(toArray);
  const compiled = jit(call);
  return {
    run: async () => {
      const result = compiled(...inputs.map(toArray), ...parameters.map((parameter) => parameter.ref));
      return [(await result.data()) as Float32Array];
    },
  };
};
