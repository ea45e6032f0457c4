import type { TensorMeta } from "@pt2/registry";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import type { Part } from "../../threads/team.ts";
import { float32Result, isFloat32 } from "../float32.ts";

/** Of an element that is read for its statistics, and written. */
const NANOSECONDS_EACH = 0.5;

/** `layer_norm` and `native_layer_norm`, which also returns mean and reciprocal deviation of each row. */
export const layerNorm: WasmKernel = wasmKernel({
  ops: ["aten::layer_norm", "aten::native_layer_norm"],
  accepts: ({ input, weight, bias }) => isFloat32(input, weight, bias),
  prepare(call, args) {
    const input = call.dense(call.convert(call.tensor(args.input), "float32"));
    const n = args.normalized_shape.reduce((a, b) => a * b, 1);
    const rows = n === 0 ? 0 : input.shape.reduce((a, b) => a * b, 1) / n;
    const [weight, bias] = [vector(call, args.weight), vector(call, args.bias)];
    const { eps } = args;
    const statistics = call.call.results.length === 3 ? [1, 2].map((index) => statistic(call, index)) : [];
    const [mean, rstd] = statistics.map(({ wide }) => wide);
    float32Result(call, (out) => {
      if (rows === 0) return;
      const at = (view: TensorView | null | undefined, element = 0): number =>
        view ? addressOf(view) + 4 * element : 0;
      const { kernels } = call;
      const parts = call.team.parts({ items: rows, nanoseconds: rows * n * NANOSECONDS_EACH });
      call.step(
        call.team.step(parts, ({ start, count }) => {
          const [from, to] = [at(input, start * n), at(out, start * n)];
          kernels.layerNormRows(from, to, count, n, at(weight), at(bias), eps, at(mean, start), at(rstd, start));
        }),
      );
    });
    for (const { round } of statistics) round();
  },
});

/** `rms_norm(input, normalized_shape, weight?, eps?)` */
export const rmsNorm: WasmKernel = wasmKernel({
  ops: ["aten::rms_norm"],
  accepts: ({ input, weight }) => isFloat32(input, weight),
  prepare(call, args) {
    const input = call.dense(call.convert(call.tensor(args.input), "float32"));
    const n = args.normalized_shape.reduce((a, b) => a * b, 1);
    const rows = n === 0 ? 0 : input.shape.reduce((a, b) => a * b, 1) / n;
    const weight = vector(call, args.weight);
    const eps = args.eps ?? EPSILON;
    float32Result(call, (out) => {
      if (rows === 0) return;
      const { kernels } = call;
      const parts = call.team.parts({ items: rows, nanoseconds: rows * n * NANOSECONDS_EACH });
      call.step(
        call.team.step(parts, ({ start, count }) => {
          const [from, to] = [addressOf(input) + 4 * start * n, addressOf(out) + 4 * start * n];
          kernels.rmsNormRows(from, to, count, n, weight ? addressOf(weight) : 0, eps, 0);
        }),
      );
    });
  },
});

/** `torch.finfo(torch.float32).eps`, the default of `rms_norm` also in half precision, which PyTorch computes in float32. */
const EPSILON = 2 ** -23;

/** Floats of a group that one thread normalizes, which stay in the second cache; and of a piece of a larger one. */
const [WHOLE, PIECE] = [32_768, 4096];

/** `group_norm` and `native_group_norm` of row-major data. */
export const groupNorm: WasmKernel = wasmKernel({
  ops: ["aten::group_norm", "aten::native_group_norm"],
  accepts: ({ input, weight, bias }) => isFloat32(input, weight, bias),
  prepare(call, args) {
    const input = call.dense(call.convert(call.tensor(args.input), "float32"));
    const [batch, channels, ...space] = args.input.shape as readonly [number, number, ...number[]];
    const groups = args.num_groups ?? args.group!;
    const n = space.reduce((a, b) => a * b, 1);
    const [weight, bias] = [vector(call, args.weight), vector(call, args.bias)];
    const { eps } = args;
    const statistics = call.call.results.length === 3 ? [1, 2].map((index) => statistic(call, index)) : [];
    const [mean, rstd] = statistics.map(({ wide }) => wide);
    float32Result(call, (out) => {
      if (batch * channels * n === 0) return;
      const at = (view: TensorView | null | undefined): number => (view ? addressOf(view) : 0);
      const { kernels } = call;
      const [perGroup, count] = [channels / groups, batch * groups];
      const size = perGroup * n;
      const nanoseconds = count * size * NANOSECONDS_EACH;
      const step = (items: number, compute: (part: Part) => void): void =>
        call.step(call.team.step(call.team.parts({ items, nanoseconds }), compute));
      if (size <= WHOLE) {
        step(count, ({ start, count }) =>
          kernels.groupNormRows(
            ...([at(input), at(out), start, count, groups, perGroup, n] as const),
            ...([at(weight), at(bias), eps, at(mean), at(rstd)] as const),
          ),
        );
        return;
      }
      // Threads share a large group. What pieces it has says its size alone, so that its sums are the same for any number of them.
      const pieces = Math.ceil(size / PIECE);
      const moments = call.scratch(count * pieces * 16);
      step(count * pieces, ({ start, count }) =>
        kernels.groupMoments(at(input), size, PIECE, start, count, moments.handle),
      );
      step(batch * channels, ({ start, count }) =>
        kernels.groupNormChannels(
          ...([at(input), at(out), start, count, groups, perGroup, n, PIECE, moments.handle] as const),
          ...([at(weight), at(bias), eps, at(mean), at(rstd)] as const),
        ),
      );
    });
    for (const { round } of statistics) round();
  },
});

/** The n-th result for a kernel that writes float32; `round` then converts it to the result's dtype. */
function statistic(call: KernelCall, index: number): { readonly wide: TensorView; round(): void } {
  const out = call.output(index);
  if (out.dtype === "float32") return { wide: out, round() {} };
  const wide = call.temporary("float32", out.shape);
  return { wide, round: () => call.copy(wide, out) };
}

function vector(call: KernelCall, given: TensorMeta | null): TensorView | null {
  const view = call.optional(given);
  return view && call.dense(call.convert(view, "float32"));
}
