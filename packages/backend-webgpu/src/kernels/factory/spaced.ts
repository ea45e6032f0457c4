import { viewAs } from "@pt2/backend";
import { numberOf } from "@pt2/engine";
import { DTYPES, type DType } from "@pt2/format";
import { isTensor, type TensorMeta } from "@pt2/registry";
import { type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";

/**
 * `linspace` and `logspace` to integers. PyTorch makes them of doubles that it truncates, where the last digit may decide;
 * so they are computed once, when the program is planned.
 */
const spaced: WebgpuKernel = webgpuKernel({
  ops: ["aten::linspace", "aten::logspace"],
  accepts: ({ start, end, dtype }) => !isTensor(start) && !isTensor(end) && isInteger(dtype),
  prepare(call, args) {
    const { dtype, shape } = call.call.results[0] as TensorMeta;
    const steps = shape[0]!;
    if (steps === 0) return;
    const base = args.base ?? null;
    // The exponent of a single power is as it was given.
    const isWhole = base === null || steps > 1;
    const [start, end] = [args.start, args.end].map((given) => {
      const value = Number(numberOf(given));
      return isWhole ? wrapped(dtype, value) : value;
    }) as [number, number];
    const step = (end - start) / Math.max(steps - 1, 1);
    const bytes = new Uint8Array(steps * DTYPES[dtype].itemsize);
    const data = viewAs(dtype, bytes);
    for (let i = 0; i < steps; i++) {
      const exact = i < Math.max(Math.floor(steps / 2), 1) ? start + step * i : end - step * (steps - 1 - i);
      const value = Math.trunc(base === null ? exact : base ** exact);
      data[i] = dtype === "int64" ? BigInt(value) : value;
    }
    call.alias(0, call.constant(dtype, shape, data));
  },
});

function isInteger(dtype: DType | null): boolean {
  return dtype !== null && (DTYPES[dtype].kind === "int" || DTYPES[dtype].kind === "uint");
}

/** A number as the dtype has it. */
function wrapped(dtype: DType, value: number): number {
  const one = viewAs(dtype, new Uint8Array(DTYPES[dtype].itemsize));
  const whole = Math.trunc(value);
  one[0] = dtype === "int64" ? BigInt(whole) : whole;
  return Number(one[0]);
}

/** Kernels of ops that make numbers between two ends. */
export const SPACED: readonly WebgpuKernel[] = [spaced];
