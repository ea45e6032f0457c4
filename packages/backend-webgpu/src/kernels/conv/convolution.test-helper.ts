import type { CaseTensor, OpCase } from "@pt2/conformance";
import { loadHostKernels, RandomState } from "@pt2/engine";
import { runHostKernel } from "@pt2/engine/host";
import { bitsToFloat, type DType, floatToBits, numel } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { randomUnit } from "@pt2/testing/random";

/** A convolution given by what differs from one with stride 1 and nothing else. */
export interface ConvCase {
  readonly input: readonly number[];
  readonly weight: readonly number[];
  readonly bias?: boolean;
  readonly stride?: readonly number[];
  readonly padding?: readonly number[];
  readonly dilation?: readonly number[];
  readonly transposed?: boolean;
  readonly output_padding?: readonly number[];
  readonly groups?: number;
}

const inDouble = (await loadHostKernels()).find(({ ops }) => ops.includes("aten::convolution"))!;

/** Numbers that float16 holds exactly, so that both dtypes compute with the same ones. */
function values(shape: readonly number[], seed: number): Float64Array {
  const next = randomUnit(seed);
  return Float64Array.from({ length: numel(shape) }, () =>
    bitsToFloat("float16", floatToBits("float16", next() - 0.5)),
  );
}

function outputShape(conv: Required<ConvCase>): readonly number[] {
  const { input, weight, stride, padding, dilation, transposed, output_padding, groups } = conv;
  const spatial = input.slice(2).map((size, d) => {
    const reach = (weight[2 + d]! - 1) * dilation[d]! + 1;
    return transposed
      ? (size - 1) * stride[d]! - 2 * padding[d]! + reach + output_padding[d]!
      : Math.floor((size + 2 * padding[d]! - reach) / stride[d]!) + 1;
  });
  return [input[0]!, transposed ? weight[1]! * groups : weight[0]!, ...spatial];
}

/** A case with random numbers, whose result is computed in double precision. */
export function convolutionCase(name: string, given: ConvCase, dtype: DType = "float32"): OpCase {
  const rank = given.weight.length - 2;
  const all = (fill: number): readonly number[] => new Array<number>(rank).fill(fill);
  const conv: Required<ConvCase> = {
    bias: true,
    stride: all(1),
    padding: all(0),
    dilation: all(1),
    transposed: false,
    output_padding: all(0),
    groups: 1,
    ...given,
  };
  const shape = outputShape(conv);
  const shapes = [conv.input, conv.weight, ...(conv.bias ? [[shape[1]!]] : [])];
  const data = shapes.map((size, i) => values(size, i + 1));
  const metas = shapes.map((size): TensorMeta => ({ dtype: "float64", shape: size }));
  const { stride, padding, dilation, transposed, output_padding, groups } = conv;
  const window = { stride, padding, dilation, transposed, output_padding, groups };
  const [result] = runHostKernel(inDouble, {
    args: { ...window, input: metas[0]!, weight: metas[1]!, bias: metas[2] ?? null },
    tensor: (argument) => {
      const i = metas.indexOf(argument);
      return { dtype: "float64", shape: shapes[i]!, bytes: new Uint8Array(data[i]!.buffer) };
    },
    results: [{ dtype: "float64", shape }],
    random: new RandomState(),
  });
  const expected = new Float64Array(new Uint8Array(result!.bytes).buffer);
  const tensors = shapes.map((size, i) => caseTensor(dtype, size, data[i]!));
  return {
    op: "aten::convolution",
    name,
    args: { input: { tensor: 0 }, weight: { tensor: 1 }, bias: conv.bias ? { tensor: 2 } : null, ...window },
    tensors,
    expected: [caseTensor(dtype, shape, expected)],
    atol: dtype === "float32" ? 2e-5 : 4e-3,
  };
}

function caseTensor(dtype: DType, shape: readonly number[], numbers: Float64Array): CaseTensor {
  const elements =
    dtype === "float16"
      ? Uint16Array.from(numbers, (value) => floatToBits("float16", value))
      : dtype === "int32"
        ? Int32Array.from(numbers, (value) => Math.round(value * 100))
        : Float32Array.from(numbers);
  const bytes = new Uint8Array(elements.buffer);
  return { dtype, shape, data: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")) };
}
