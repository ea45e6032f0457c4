// Runs an expression on the device, and element by element with the reference evaluator.
import { evaluateAll, positions } from "@pt2/conformance";
import { bitsToFloat, DTYPES, type DType, floatToBits, numel } from "@pt2/format";
import { convert, fold, type ScalarValue, type TypedExpr, withChildren } from "@pt2/registry/scalar";
import { type ElementwiseDispatch, elementwiseDispatch } from "./elementwise.ts";
import type { Geometry, Walk } from "./elementwise-geometry.ts";
import { type ShaderFeatures, storageOf } from "./storage.ts";
import { withHelpers } from "./with-helpers.ts";

/** An operand: the values in memory, and its walk over the iteration space. */
export interface TestOperand extends Walk {
  readonly dtype: DType;
  readonly data: readonly ScalarValue[];
}

/** A kernel over an iteration space; the output is contiguous unless a walk is given. */
export interface TestKernel {
  readonly shape: readonly number[];
  readonly operands: readonly TestOperand[];
  readonly expr: TypedExpr;
  readonly output?: Walk;
}

/** Returns the walk of a dense tensor in row-major order. */
export function dense(shape: readonly number[]): Walk {
  return { strides: shape.map((_, d) => numel(shape.slice(d + 1))), offset: 0 };
}

/** Returns the values of the output in row-major order, as the device computes them. */
export async function runOnDevice(device: GPUDevice, kernel: TestKernel): Promise<readonly ScalarValue[]> {
  const features = { f16: device.features.has("shader-f16"), maxWorkgroups: 65535 };
  const { shape, operands, expr } = kernel;
  const output = kernel.output ?? dense(shape);
  const geometry: Geometry = { shape, walks: [...operands, output] };
  const inputs = operands.map(({ dtype }) => dtype);
  const dispatch = elementwiseDispatch(expr, inputs, geometry, features);
  const at = positions(shape, output);
  const length = Math.max(0, ...at) + 5;
  const written = await runDispatch(
    device,
    dispatch,
    operands.map(({ dtype, data }) => encode(dtype, data, features)),
    bytesOf(length, expr.dtype, features),
  );
  const { bytes } = storageOf(expr.dtype, features);
  const own = new Set(at);
  if (written.some((byte, i) => byte !== UNTOUCHED && !own.has(Math.floor(i / bytes)))) {
    throw new Error("something else was written");
  }
  const values = decode(expr.dtype, written, length, features);
  return at.map((i) => values[i] as ScalarValue);
}

const UNTOUCHED = 0xa5;

/** Runs a dispatch; returns the bytes of its output, which were all 0xa5 before. */
export async function runDispatch(
  device: GPUDevice,
  { code, params, workgroups }: ElementwiseDispatch,
  inputs: readonly Uint8Array<ArrayBuffer>[],
  outputBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const make = (bytes: Uint8Array<ArrayBuffer>, usage: number): GPUBuffer => {
    const buffer = device.createBuffer({
      size: Math.max(bytes.byteLength, 16),
      usage: usage | GPUBufferUsage.COPY_DST,
    });
    device.queue.writeBuffer(buffer, 0, bytes);
    return buffer;
  };
  const { STORAGE, UNIFORM, COPY_SRC, MAP_READ, COPY_DST } = GPUBufferUsage;
  const output = make(new Uint8Array(outputBytes).fill(UNTOUCHED), STORAGE | COPY_SRC);
  const buffers = [
    ...inputs.map((bytes) => make(bytes, STORAGE)),
    output,
    make(new Uint8Array(params.buffer), UNIFORM),
  ];
  const module = device.createShaderModule({ code: await withHelpers(code) });
  const pipeline = await device.createComputePipelineAsync({ layout: "auto", compute: { module } });
  const staging = device.createBuffer({ size: outputBytes, usage: MAP_READ | COPY_DST });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
  pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
  pass.dispatchWorkgroups(...workgroups);
  pass.end();
  encoder.copyBufferToBuffer(output, 0, staging, 0, outputBytes);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const result = new Uint8Array(staging.getMappedRange().slice(0));
  for (const buffer of [...buffers, staging]) buffer.destroy();
  return result;
}

/** Returns the same values as the reference evaluator computes them, in the precision that the GPU has. */
export function runReference({ shape, operands, expr }: TestKernel): readonly ScalarValue[] {
  const narrowed = operands.map(({ dtype, data, ...walk }) => {
    const to = NARROW[dtype] ?? dtype;
    return { ...walk, dtype: to, data: data.map((value) => convert(to, value)) };
  });
  return evaluateAll(narrow(expr), narrowed, shape);
}

const NARROW: { readonly [D in DType]?: DType } = { float64: "float32", int64: "int32" };

/** Returns the expression in float32 and int32 where it has float64 and int64; what is cast to int64 saturates. */
function narrow(expr: TypedExpr): TypedExpr {
  return fold<TypedExpr>([expr], (node, of) => {
    const made = withChildren(node, of);
    const dtype = NARROW[node.dtype] ?? node.dtype;
    if (made.kind === "cast" && node.dtype === "int64" && ["float", "uint"].includes(DTYPES[made.x.dtype].kind)) {
      const bound = (fn: "min" | "max", x: TypedExpr, value: bigint): TypedExpr => ({
        kind: "binary",
        dtype: "int64",
        fn,
        x,
        y: { kind: "const", dtype: "int64", value },
      });
      return { kind: "cast", dtype, x: bound("max", bound("min", made, 2n ** 31n - 1n), -(2n ** 31n)) };
    }
    if (made.kind === "const" && node.dtype === "int64") return { ...made, dtype, value: Number(made.value) };
    return { ...made, dtype };
  })[0] as TypedExpr;
}

function bytesOf(length: number, dtype: DType, features: ShaderFeatures): number {
  return Math.ceil((length * storageOf(dtype, features).bytes) / 4) * 4;
}

function encode(dtype: DType, data: readonly ScalarValue[], features: ShaderFeatures): Uint8Array<ArrayBuffer> {
  const { type, bytes } = storageOf(dtype, features);
  const view = new DataView(new ArrayBuffer(bytesOf(data.length, dtype, features)));
  for (const [i, value] of data.entries()) {
    const at = i * bytes;
    if (type === "f16") view.setUint16(at, floatToBits("float16", value as number), true);
    else if (type === "f32") view.setFloat32(at, value as number, true);
    else view.setInt32(at, Number(value), true);
  }
  return new Uint8Array(view.buffer);
}

function decode(
  dtype: DType,
  from: Uint8Array<ArrayBuffer>,
  length: number,
  features: ShaderFeatures,
): readonly ScalarValue[] {
  const { type, bytes } = storageOf(dtype, features);
  const view = new DataView(from.buffer);
  return Array.from({ length }, (_, i) => {
    const at = i * bytes;
    if (type === "f16") return bitsToFloat("float16", view.getUint16(at, true));
    if (type === "f32") return view.getFloat32(at, true);
    if (dtype === "bool") return view.getUint32(at, true) === 1;
    return type === "u32" ? view.getUint32(at, true) : view.getInt32(at, true);
  });
}
