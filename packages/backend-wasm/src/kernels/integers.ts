import { broadcastStrides, offsetsOf } from "@pt2/engine";
import { DTYPES, numel } from "@pt2/format";
import { bigints, type Elements, numbers } from "../engine/element-access.ts";
import { type KernelCall, type WasmKernel, wasmKernel } from "../engine/kernel.ts";
import { addressOf, type TensorView } from "../engine/tensor-view.ts";

/** An integer op that iterates. */
interface IntegerOp {
  readonly op: "aten::gcd" | "aten::lcm";
  /** Exact in 64 bits. It is told how elements wrap around, and what C++ computes with. */
  combine(a: bigint, b: bigint, element: Wrap, computed: Wrap): bigint;
  /** The same of integers of 32 bits that have opposites, from them and their divisor; wrapped around in 32 bits. */
  short(a: number, b: number, divisor: number): number;
  /** The same without wrapping; from 2^53 on it is not exact. */
  long(a: number, b: number, divisor: number): number;
}

/** Wraps a number around as one of a type of C++ does. */
type Wrap = (value: bigint) => bigint;

/** Elements of two tensors, and where they are for each result. */
interface Operands {
  readonly a: TensorView;
  readonly b: TensorView;
  readonly from: Int32Array;
  readonly by: Int32Array;
  readonly out: TensorView;
}

function integerKernel(op: IntegerOp): WasmKernel {
  return wasmKernel({
    ops: [op.op],
    prepare(call, { self, other }) {
      const out = call.output();
      const [a, b] = [self, other].map((tensor) => call.convert(call.tensor(tensor), out.dtype));
      const [from, by] = [a!, b!].map((view) =>
        offsetsOf({ shape: out.shape, strides: broadcastStrides(view, out.shape) }),
      );
      const operands = { a: a!, b: b!, from: from!, by: by!, out };
      const { itemsize, kind } = DTYPES[out.dtype];
      const isSmall = itemsize < 4 || out.dtype === "int32";
      const steps = out.dtype === "int64" ? planLongs : isSmall && kind !== "bool" ? planShorts : planAny;
      steps(call, op, operands);
    },
  });
}

/** How an element is computed from those at two places in all bits. */
function exactly(call: KernelCall, { combine }: IntegerOp, { a, b, from, by, out }: Operands): (i: number) => void {
  const { kind, itemsize } = DTYPES[out.dtype];
  const signed =
    (bits: number): Wrap =>
    (value) =>
      BigInt.asIntN(bits, value);
  const element: Wrap = kind === "uint" ? (value) => value : signed(8 * itemsize);
  const computed = signed(Math.max(32, 8 * itemsize));
  const [x, y, z] = [a, b, out].map((view) => (view.dtype === "int64" ? bigints : widened)(call.heap, view));
  return (i) => z!.set(i, combine(x!.get(from[i]!), y!.get(by[i]!), element, computed));
}

function planAny(call: KernelCall, op: IntegerOp, operands: Operands): void {
  const count = numel(operands.out.shape);
  call.step(() => {
    const compute = exactly(call, op, operands);
    for (let i = 0; i < count; i++) compute(i);
  });
}

/** Integers of at most 32 bits. The smallest one of a type, which has no opposite, is rare. */
function planShorts(call: KernelCall, op: IntegerOp, operands: Operands): void {
  const { a, b, from, by, out } = operands;
  const { itemsize, kind } = DTYPES[out.dtype];
  const least = kind === "uint" ? -1 : -(2 ** (8 * itemsize - 1));
  const types = {
    uint8: Uint8Array,
    int8: Int8Array,
    int16: Int16Array,
    uint16: Uint16Array,
    int32: Int32Array,
  } as const;
  const Type = types[out.dtype as keyof typeof types];
  call.step(() => {
    const compute = exactly(call, op, operands);
    const { buffer } = call.heap.memory;
    const [x, y, z] = [
      new Type(buffer, addressOf(a)),
      new Type(buffer, addressOf(b)),
      new Type(buffer, addressOf(out), from.length),
    ];
    for (let i = 0; i < z.length; i++) {
      const [p, q] = [x[from[i]!]!, y[by[i]!]!];
      if (p === least || q === least) compute(i);
      else z[i] = op.short(p, q, divisorOf(Math.abs(p), Math.abs(q)));
    }
  });
}

/** Integers of 64 bits, most of which 32 have too. */
function planLongs(call: KernelCall, op: IntegerOp, operands: Operands): void {
  const { a, b, from, by, out } = operands;
  call.step(() => {
    const compute = exactly(call, op, operands);
    const words = call.heap.i32;
    const [x, y] = [addressOf(a) / 4, addressOf(b) / 4];
    for (let i = 0, to = addressOf(out) / 4; i < from.length; i++, to += 2) {
      const [p, q] = [x + 2 * from[i]!, y + 2 * by[i]!];
      const [left, right] = [words[p]!, words[q]!];
      const isShort = words[p + 1] === left >> 31 && words[q + 1] === right >> 31;
      const value = isShort ? op.long(left, right, divisorOf(Math.abs(left), Math.abs(right))) : Number.NaN;
      if (value <= Number.MAX_SAFE_INTEGER) {
        words[to] = value;
        words[to + 1] = value / 2 ** 32;
      } else compute(i);
    }
  });
}

function widened(...[heap, view]: Parameters<typeof numbers>): Elements<bigint> {
  const elements = numbers(heap, view);
  return { get: (offset) => BigInt(elements.get(offset)), set: (offset, value) => elements.set(offset, Number(value)) };
}

function magnitude(value: bigint, wrap: Wrap): bigint {
  return wrap(value < 0n ? -value : value);
}

/** PyTorch's own loop: the smallest number of a type has no opposite, which decides about the sign of its divisors. */
function greatestDivisor(a: bigint, b: bigint, wrap: Wrap): bigint {
  let [x, y] = [magnitude(a, wrap), magnitude(b, wrap)];
  while (x !== 0n) [x, y] = [y % x, x];
  return y;
}

/** The same of integers from 0 to 2^31. */
function divisorOf(a: number, b: number): number {
  let x = a >>> 0;
  let y = b >>> 0;
  while (x !== 0) {
    const rest = (y % x) >>> 0;
    y = x;
    x = rest;
  }
  return y;
}

const gcd: WasmKernel = integerKernel({
  op: "aten::gcd",
  combine: (a, b, element) => greatestDivisor(a, b, element),
  short: (_a, _b, divisor) => divisor,
  long: (_a, _b, divisor) => divisor,
});

const lcm: WasmKernel = integerKernel({
  op: "aten::lcm",
  combine(a, b, element, computed) {
    const divisor = greatestDivisor(a, b, element);
    // The product wraps around before its sign is dropped.
    return divisor === 0n ? 0n : magnitude(computed((a / divisor) * b), computed);
  },
  short: (a, b, divisor) => (divisor === 0 ? 0 : Math.abs(Math.imul(a / divisor, b))),
  long: (a, b, divisor) => (divisor === 0 ? 0 : Math.abs((a / divisor) * b)),
});

/** Divisors and multiples of integers. */
export const DIVISORS: readonly WasmKernel[] = [gcd, lcm];
