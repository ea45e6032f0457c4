import { numel, viewAs } from "@pt2/backend";
import { elementBytes, numberOf } from "@pt2/engine";
import { DTYPES, type DType } from "@pt2/format";
import { isTensor, type Scalar } from "@pt2/registry";
import { bigints, numbers } from "../engine/element-access.ts";
import { type WasmKernel, wasmKernel } from "../engine/kernel.ts";
import { addressOf } from "../engine/tensor-view.ts";

/** Cuts the fraction of a number of an integer `arange`. PyTorch counts the elements before it does so. */
function whole(number: number | bigint): bigint {
  return typeof number === "bigint" ? number : BigInt(Math.trunc(number));
}

/** `arange(start, end, step)`; each element is start + i·step, not a running sum. */
export const arange: WasmKernel = wasmKernel({
  ops: ["aten::arange.start_step"],
  prepare(call, args) {
    const out = call.output();
    const [start, step] = [numberOf(args.start), numberOf(args.step)];
    const { kind, itemsize } = DTYPES[out.dtype];
    const isInteger = /int$/.test(kind);
    const exact = (i: number): bigint => whole(start) + BigInt(i) * whole(step);
    call.step(() => {
      const count = numel(out.shape);
      if (isInteger && itemsize === 8) {
        const { set } = bigints(call.heap, out);
        for (let i = 0; i < count; i++) set(i, exact(i));
        return;
      }
      const { set } = numbers(call.heap, out);
      for (let i = 0; i < count; i++) {
        set(i, isInteger ? Number(BigInt.asIntN(32, exact(i))) : Number(start) + i * Number(step));
      }
    });
  },
});

/** `full(size, fill_value)`, and `empty`, which is filled with zeros: PyTorch does not define its contents. */
export const full: WasmKernel = wasmKernel({
  ops: ["aten::full"],
  unsigned: true,
  accepts: ({ fill_value }) => !isTensor(fill_value),
  prepare(call, { fill_value }) {
    const out = call.output();
    const bytes = fillBytes(out.dtype, fill_value);
    call.step(() => {
      const memory = call.heap.u8;
      const to = addressOf(out);
      const total = numel(out.shape) * bytes.byteLength;
      if (total === 0) return;
      memory.set(bytes, to);
      // Each step copies what is filled already, so that the filled part doubles.
      for (let done = bytes.byteLength; done < total; done *= 2) {
        memory.copyWithin(to + done, to, to + Math.min(done, total - done));
      }
    });
  },
});

/** Writes one element; of a complex element both parts. */
function fillBytes(dtype: DType, value: Scalar): Uint8Array {
  const bytes = elementBytes(dtype, numberOf(value));
  if (typeof value === "object" && "re" in value && DTYPES[dtype].kind === "complex") {
    const parts = viewAs(dtype, bytes);
    parts[0] = value.re;
    parts[1] = value.im;
  }
  return bytes;
}
