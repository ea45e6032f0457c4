import { volume } from "@pt2/engine";
import type { TensorView } from "../../engine/tensor-view.ts";
import type { ConvGeometry, ConvTensors } from "./geometry.ts";

/**
 * A convolution of single elements as one whose pixels are in a row; null where it is none, or where the rows of the
 * input do not follow each other.
 */
export function asOneRow(geometry: ConvGeometry, tensors: ConvTensors): [ConvGeometry, ConvTensors] | null {
  const { input, output, kernel, stride, padding, transposed } = geometry;
  const { shape, strides } = tensors.input;
  // With padding and a stride there may be as many results that begin elsewhere.
  const moves =
    stride.some((step, d) => step !== 1 && output[d]! > 1) ||
    padding.some((before) => before !== 0) ||
    input.join() !== output.join();
  if (transposed || volume(kernel) !== 1 || moves) return null;
  const [, , d, h, w] = strides as readonly [number, number, number, number, number];
  const merges = (input[1] === 1 || h === w * input[2]) && (input[0] === 1 || d === w * input[2] * input[1]);
  if (!merges) return null;
  const pixels = volume(input);
  const row = { input: [1, 1, pixels], output: [1, 1, pixels], stride: [1, 1, 1], padding: [0, 0, 0] } as const;
  const view: TensorView = {
    ...tensors.input,
    shape: [...shape.slice(0, 2), 1, 1, pixels],
    strides: [...strides.slice(0, 2), 0, 0, input[2] === 1 ? (input[1] === 1 ? d : h) : w],
  };
  return [
    { ...geometry, ...row },
    { ...tensors, input: view },
  ];
}
