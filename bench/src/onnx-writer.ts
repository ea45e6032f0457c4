// Just enough protobuf to write ONNX models for the comparison with ONNX Runtime.

type Field = readonly [number: number, value: number | string | Uint8Array];

function varint(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) + 128);
  }
}

function message(...fields: readonly Field[]): Uint8Array {
  const parts = fields.flatMap(([number, value]) => {
    if (typeof value === "number") return [Uint8Array.from([...varint(number * 8), ...varint(value)])];
    const bytes = typeof value === "string" ? new TextEncoder().encode(value) : value;
    return [Uint8Array.from([...varint(number * 8 + 2), ...varint(bytes.length)]), bytes];
  });
  return Buffer.concat(parts);
}

function valueInfo(name: string, shape: readonly number[]): Uint8Array {
  const dims = shape.map((size): Field => [1, message([1, size])]);
  return message([1, name], [2, message([1, message([1, 1], [2, message(...dims)])])]);
}

/** Encodes an attribute: one integer, or a list of them. */
function attribute(name: string, value: number | readonly number[]): Uint8Array {
  if (typeof value === "number") return message([1, name], [3, value], [20, 2]);
  return message([1, name], ...value.map((item): Field => [8, item]), [20, 7]);
}

/**
 * Encodes an ONNX model that is one node over the input `X`, the given float initializers in order, and the output `Y`.
 */
export function oneNodeModel(
  op: string,
  input: readonly number[],
  weights: readonly { readonly shape: readonly number[]; readonly data: Float32Array }[],
  output: readonly number[],
  attributes: Readonly<Record<string, number | readonly number[]>> = {},
): Uint8Array {
  const names = weights.map((_, index) => `W${index}`);
  const settings = Object.entries(attributes).map(([name, value]): Field => [5, attribute(name, value)]);
  const node = message(...["X", ...names].map((name): Field => [1, name]), [2, "Y"], [4, op], ...settings);
  const initializers = weights.map(({ shape, data }, index): Field => {
    const raw = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    return [5, message(...shape.map((size): Field => [1, size]), [2, 1], [8, `W${index}`], [9, raw])];
  });
  const graph = message([1, node], [2, op], ...initializers, [11, valueInfo("X", input)], [12, valueInfo("Y", output)]);
  return message([1, 8], [7, graph], [8, message([1, ""], [2, 17])]);
}
