// Runs a group as a generated kernel, and element by element with the reference evaluator.
import { evaluateAll, type Operand, positions } from "@pt2/conformance";
import { bitsToFloat, DTYPES, type DType, floatToBits, numel } from "@pt2/format";
import { loading } from "@pt2/registry/on-demand";
import type { ScalarValue, TypedExpr } from "@pt2/registry/scalar";
import { createElementwiseCompiler } from "./compiler.ts";
import { blockBytes, coalesce, innerModes, newBlock, writeBlock } from "./geometry.ts";
import { liftNumbers } from "./lift-numbers.ts";
import { vectorFunctions } from "./math-imports.ts";

/** A group over an iteration space; outputs are contiguous unless strides are given. */
export interface Group {
  readonly shape: readonly number[];
  readonly operands: readonly Operand[];
  readonly outputs: readonly TypedExpr[];
  readonly outputStrides?: readonly number[];
  /** The sizes of the consecutive ranges to run; one range when absent. */
  readonly pieces?: readonly number[];
}

await loading(vectorFunctions);

const memory: WebAssembly.Memory = new WebAssembly.Memory({ initial: 64 });
const compiler = createElementwiseCompiler(memory);

/** Returns the strides of a dense tensor in row-major order. */
function contiguous(shape: readonly number[]): readonly number[] {
  return shape.map((_, d) => numel(shape.slice(d + 1)));
}

/**
 * Returns the values of each output in row-major order, as the kernel computes them. Checks that nothing else was
 * written.
 */
export function runKernel(group: Group): readonly (readonly ScalarValue[])[] {
  const { shape, operands, outputs } = group;
  const count = numel(shape);
  const outputStrides = group.outputStrides ?? contiguous(shape);
  const strides = [...operands.map((operand) => operand.strides), ...outputs.map(() => outputStrides)];
  const geometry = coalesce(shape, strides, operands.length);
  const dtypes = [...operands.map(({ dtype }) => dtype), ...outputs.map(({ dtype }) => dtype)];
  const { outputs: lifted, numbers } = liftNumbers(outputs, operands.length);
  let top = 1024 + blockBytes(geometry, numbers.length);
  const pointers = dtypes.map((dtype, k) => {
    const address = Math.ceil(top / 8) * 8;
    const length = operands[k]?.data.length ?? count;
    top = address + length * DTYPES[dtype].itemsize + 16;
    operands[k]?.data.forEach((value, i) => {
      write(dtype, address + i * DTYPES[dtype].itemsize, value);
    });
    return address;
  });
  const ends = outputs.map(
    ({ dtype }, i) => (pointers[operands.length + i] as number) + count * DTYPES[dtype].itemsize,
  );
  for (const end of ends) new Uint8Array(memory.buffer, end, 8).fill(0xa5);
  writeBlock(new Int32Array(memory.buffer), 1024, newBlock(geometry, dtypes, numbers), pointers);
  const kernel = compiler.add({
    inputs: operands.map(({ dtype }) => dtype),
    outputs: lifted,
    inner: innerModes(geometry, dtypes),
    numbers: numbers.map(({ dtype }) => dtype),
  });
  let start = 0;
  for (const piece of group.pieces ?? [count]) {
    kernel.run(1024, start, piece);
    start += piece;
  }
  for (const end of ends) {
    if (new Uint8Array(memory.buffer, end, 8).some((byte) => byte !== 0xa5)) throw new Error("written past the end");
  }
  const offsets = positions(shape, { strides: outputStrides });
  return outputs.map(({ dtype }, i) =>
    offsets.map((at) => read(dtype, (pointers[operands.length + i] as number) + at * DTYPES[dtype].itemsize)),
  );
}

/** Returns the same values as the reference evaluator computes them. */
export function runReference({ shape, operands, outputs }: Group): readonly (readonly ScalarValue[])[] {
  return outputs.map((expr) => evaluateAll(expr, operands, shape));
}

function write(dtype: DType, address: number, value: ScalarValue): void {
  const view = new DataView(memory.buffer, address);
  if (dtype === "float64") view.setFloat64(0, value as number, true);
  else if (dtype === "float32") view.setFloat32(0, value as number, true);
  else if (dtype === "float16" || dtype === "bfloat16") view.setUint16(0, floatToBits(dtype, value as number), true);
  else if (DTYPES[dtype].itemsize === 8) view.setBigInt64(0, value as bigint, true);
  else if (DTYPES[dtype].itemsize === 4) view.setInt32(0, value as number, true);
  else if (DTYPES[dtype].itemsize === 2) view.setInt16(0, value as number, true);
  else view.setInt8(0, Number(value));
}

function read(dtype: DType, address: number): ScalarValue {
  const view = new DataView(memory.buffer, address);
  switch (dtype) {
    case "float64":
      return view.getFloat64(0, true);
    case "float32":
      return view.getFloat32(0, true);
    case "float16":
    case "bfloat16":
      return bitsToFloat(dtype, view.getUint16(0, true));
    case "int64":
      return view.getBigInt64(0, true);
    case "int32":
      return view.getInt32(0, true);
    case "int16":
      return view.getInt16(0, true);
    case "int8":
      return view.getInt8(0);
    default:
      return dtype === "bool" ? view.getUint8(0) === 1 : view.getUint8(0);
  }
}
