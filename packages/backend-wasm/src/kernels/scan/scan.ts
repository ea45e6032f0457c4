import { isComplexDtype, type Slices, slicesOf } from "@pt2/engine";
import { DTYPES, type DType, normalDim } from "@pt2/format";
import { bigints, complexParts, type Elements, numbers, product } from "../../engine/element-access.ts";
import { type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { addressOf } from "../../engine/tensor-view.ts";

/** `cumsum` and `cumprod` along one dimension; float32 runs in double and is rounded at each element. */
function scanKernel(
  op: "aten::cumsum" | "aten::cumprod",
  number: (dtype: DType) => (a: number, b: number) => number,
  int: (a: bigint, b: bigint) => bigint,
  complex: (a: Complex, b: Complex) => Complex,
): WasmKernel {
  return wasmKernel({
    ops: [op],
    accepts({ self, dtype }) {
      const given = self.dtype;
      const wanted = dtype ?? given;
      return given === wanted || !(isComplexDtype(given) || isComplexDtype(wanted));
    },
    prepare(call, args) {
      const out = call.output();
      const self = call.convert(call.tensor(args.self), out.dtype);
      const dim = normalDim(args.dim, self.shape.length);
      const [from, to] = [slicesOf(self, dim), slicesOf(out, dim)];
      call.step(() => {
        if (out.dtype === "int64") run(bigints(call.heap, self), bigints(call.heap, out), from, to, int);
        else if (isComplexDtype(out.dtype)) {
          const [x, y] = [self, out].map((view) => complexElements(numbers(call.heap, complexParts(view))));
          run(x!, y!, from, to, complex);
        } else run(numbers(call.heap, self), numbers(call.heap, out), from, to, number(out.dtype));
      });
    },
  });
}

type Complex = readonly [re: number, im: number];

function complexElements(parts: Elements<number>): Elements<Complex> {
  return {
    get: (offset) => [parts.get(2 * offset), parts.get(2 * offset + 1)],
    set(offset, [re, im]) {
      parts.set(2 * offset, re);
      parts.set(2 * offset + 1, im);
    },
  };
}

function run<T>(source: Elements<T>, target: Elements<T>, from: Slices, to: Slices, step: (a: T, b: T) => T): void {
  for (let lane = 0; lane < from.starts.length && from.size > 0; lane++) {
    const [a, b] = [from.starts[lane]!, to.starts[lane]!];
    let sum = source.get(a);
    target.set(b, sum);
    for (let i = 1; i < from.size; i++) {
      sum = step(sum, source.get(a + i * from.stride));
      target.set(b + i * to.stride, sum);
    }
  }
}

/** As the kernel numbers them. */
const SUMMED: Readonly<Partial<Record<DType, number>>> = { float32: 0, float64: 1, int64: 2 };

/** `cumsum` of what most sums are of; {@link cumsumAny} takes the others. */
export const cumsum: WasmKernel = wasmKernel({
  ops: ["aten::cumsum"],
  accepts: ({ self, dtype }) => !isComplexDtype(self.dtype) && (dtype ?? resultOf(self.dtype)) in SUMMED,
  prepare(call, args) {
    const out = call.output();
    const self = call.convert(call.tensor(args.self), out.dtype);
    const dim = normalDim(args.dim, self.shape.length);
    const [from, to] = [slicesOf(self, dim), slicesOf(out, dim)];
    const { itemsize } = DTYPES[out.dtype];
    const kind = SUMMED[out.dtype]!;
    call.step(() => {
      const [source, target] = [addressOf(self), addressOf(out)];
      for (const [lane, a] of from.starts.entries()) {
        const [first, second] = [source + a * itemsize, target + to.starts[lane]! * itemsize];
        call.kernels.runningSums(kind, first, second, from.size, from.stride * itemsize, to.stride * itemsize);
      }
    });
  },
});

/** Sums of integers and bools are int64. */
function resultOf(dtype: DType): DType {
  return DTYPES[dtype].kind === "float" ? dtype : "int64";
}

export const cumsumAny: WasmKernel = scanKernel(
  "aten::cumsum",
  () => (a, b) => a + b,
  (a, b) => BigInt.asIntN(64, a + b),
  (a, b) => [a[0] + b[0], a[1] + b[1]],
);
export const cumprod: WasmKernel = scanKernel(
  "aten::cumprod",
  product,
  (a, b) => BigInt.asIntN(64, a * b),
  (a, b) => [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]],
);

/** `cummax` and `cummin` along one dimension, with positions: of equal elements, and of NaNs, the last one counts. */
function extremeKernel(
  op: "aten::cummax" | "aten::cummin",
  isNext: (x: number | bigint, best: number | bigint) => boolean,
): WasmKernel {
  return wasmKernel({
    ops: [op],
    accepts: ({ self }) => self.shape.length > 0,
    prepare(call, args) {
      const self = call.tensor(args.self);
      const [values, indices] = [call.output(0), call.output(1)];
      const dim = normalDim(args.dim, self.shape.length);
      const [from, to, at] = [self, values, indices].map((view) => slicesOf(view, dim)) as [Slices, Slices, Slices];
      const extremes = <T extends number | bigint>(x: Elements<T>, y: Elements<T>): void => {
        const positions = numbers(call.heap, indices);
        for (let lane = 0; lane < from.starts.length && from.size > 0; lane++) {
          let [best, position] = [x.get(from.starts[lane]!), 0];
          for (let i = 0; i < from.size; i++) {
            const element = x.get(from.starts[lane]! + i * from.stride);
            const isNone = Number.isNaN(element);
            if (isNone || (!Number.isNaN(best) && isNext(element, best))) [best, position] = [element, i];
            y.set(to.starts[lane]! + i * to.stride, best);
            positions.set(at.starts[lane]! + i * at.stride, position);
          }
        }
      };
      call.step(() => {
        if (self.dtype === "int64") extremes(bigints(call.heap, self), bigints(call.heap, values));
        else extremes(numbers(call.heap, self), numbers(call.heap, values));
      });
    },
  });
}

export const cummax: WasmKernel = extremeKernel("aten::cummax", (x, best) => x >= best);
export const cummin: WasmKernel = extremeKernel("aten::cummin", (x, best) => x <= best);

/** `logcumsumexp` of real numbers along one dimension, in double. */
export const logcumsumexp: WasmKernel = wasmKernel({
  ops: ["aten::logcumsumexp"],
  accepts: ({ self }) => self.shape.length > 0 && !isComplexDtype(self.dtype),
  prepare(call, args) {
    const [self, out] = [call.tensor(args.self), call.output()];
    const dim = normalDim(args.dim, self.shape.length);
    const [from, to] = [slicesOf(self, dim), slicesOf(out, dim)];
    call.step(() => {
      const [x, y] = [numbers(call.heap, self), numbers(call.heap, out)];
      for (let lane = 0; lane < from.starts.length; lane++) {
        let sum = Number.NEGATIVE_INFINITY;
        for (let i = 0; i < from.size; i++) {
          sum = logAddExp(x.get(from.starts[lane]! + i * from.stride), sum);
          y.set(to.starts[lane]! + i * to.stride, sum);
        }
      }
    });
  },
});

/** log(eᵃ + eᵇ); two infinities that are the same are their own sum. */
function logAddExp(a: number, b: number): number {
  const [low, high] = [Math.min(a, b), Math.max(a, b)];
  return low !== high || Number.isFinite(low) ? Math.log1p(Math.exp(low - high)) + high : a;
}
