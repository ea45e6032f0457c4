import { normalDim } from "@pt2/format";
import type { Call } from "../../lower/call.ts";
import { convert } from "../../scalar/convert.ts";
import type { ScalarValue } from "../../scalar/typed.ts";
import type { ArgValue, Strided, TensorMeta } from "../../tensor-meta.ts";

/** The elements of tensors in row-major order. */
export type ReferenceData = Map<TensorMeta, readonly ScalarValue[]>;

/** Returns the elements of the one result of a call. */
type Kernel = (args: Call["args"], result: TensorMeta, data: ReferenceData) => readonly ScalarValue[];

/** The positions of the elements of a strided tensor, in row-major order. */
export function offsets({ shape, strides, offset }: Strided): readonly number[] {
  return shape.reduce<readonly number[]>(
    (found, size, d) => found.flatMap((at) => Array.from({ length: size }, (_, i) => at + i * strides[d]!)),
    [offset],
  );
}

/** The coordinates of each element of a shape, in row-major order. */
function coordinates(shape: readonly number[]): readonly (readonly number[])[] {
  return shape.reduce<readonly (readonly number[])[]>(
    (found, size) => found.flatMap((at) => Array.from({ length: size }, (_, i) => [...at, i])),
    [[]],
  );
}

/** The position of an element in row-major order; undefined outside the shape. */
function indexOf(shape: readonly number[], at: readonly number[]): number | undefined {
  if (at.some((i, d) => i < 0 || i >= shape[d]!)) return undefined;
  return at.reduce((index, i, d) => index * shape[d]! + i, 0);
}

const meta = (value: ArgValue | undefined): TensorMeta => value as TensorMeta;
const ints = (value: ArgValue | undefined): readonly number[] => value as readonly number[];
const wrapped = (dim: ArgValue | undefined, { shape }: TensorMeta): number => normalDim(Number(dim), shape.length);

/** Coordinates with another one along a dimension; a tensor without dimensions has one place. */
const moved = (at: readonly number[], along: number, to: number): readonly number[] =>
  at.length === 0 ? at : at.with(along, to);
const per = (list: readonly number[], d: number): number => list[d] ?? list[0]!;

/** Adds up numbers by the position of the result that each belongs to. */
function accumulated(result: TensorMeta): { readonly sums: number[]; add(at: readonly number[], value: number): void } {
  const sums = coordinates(result.shape).map(() => 0);
  return {
    sums,
    add(at, value) {
      const index = indexOf(result.shape, at);
      if (index !== undefined) sums[index]! += value;
    },
  };
}

/** Reduces along `dim`, all dimensions where it is empty. */
function reduction(combine: (a: number, b: number) => number): Kernel {
  return ({ self, dim, keepdim }, result, data) => {
    const from = meta(self);
    const given = (dim === null ? [] : ints(dim)).map((d) => wrapped(d, from));
    const dims = given.length === 0 ? [...from.shape.keys()] : given;
    const found: number[] = [];
    for (const [i, at] of coordinates(from.shape).entries()) {
      const kept = at.flatMap((c, d) => (!dims.includes(d) ? [c] : keepdim === true ? [0] : []));
      const index = indexOf(result.shape, kept)!;
      const value = Number(data.get(from)![i]);
      found[index] = found[index] === undefined ? value : combine(found[index], value);
    }
    return coordinates(result.shape).map((_, i) => found[i] ?? 0);
  };
}

const convolution: Kernel = (args, result, data) => {
  const [input, weight] = [meta(args.input), meta(args.weight)];
  const [x, w] = [data.get(input)!.map(Number), data.get(weight)!.map(Number)];
  const [stride, padding, dilation] = [ints(args.stride), ints(args.padding), ints(args.dilation)];
  const groups = Number(args.groups);
  const { sums, add } = accumulated(result);
  const tapped = (at: readonly number[], tap: readonly number[]): readonly number[] =>
    at.map((i, d) => i * per(stride, d) - per(padding, d) + tap[d]! * per(dilation, d));
  const [inside, outside] = [input.shape[1]! / groups, result.shape[1]! / groups];
  for (const [k, [a, b, ...tap]] of coordinates(weight.shape).entries()) {
    for (const [i, [n, channel, ...at]] of coordinates(
      args.transposed === true ? input.shape : result.shape,
    ).entries()) {
      if (args.transposed === true) {
        const group = Math.floor(channel! / inside);
        if (a === channel) add([n!, group * outside + b!, ...tapped(at, tap)], x[i]! * w[k]!);
      } else if (a === channel) {
        const from = indexOf(input.shape, [n!, Math.floor(channel! / outside) * inside + b!, ...tapped(at, tap)]);
        if (from !== undefined) sums[i]! += x[from]! * w[k]!;
      }
    }
  }
  const bias = args.bias === null ? undefined : data.get(meta(args.bias));
  return coordinates(result.shape).map(([, channel], i) => sums[i]! + Number(bias?.[channel!] ?? 0));
};

/** The op with two results. */
export const POOLING = "aten::max_pool2d_with_indices";

/** The ops with one result that decompositions and gradients end in. */
export const KERNELS: { readonly [op: string]: Kernel } = {
  "aten::arange.start_step": ({ start, step }, { shape, dtype }) =>
    Array.from({ length: shape[0]! }, (_, i) => convert(dtype, Number(start) + i * Number(step))),
  "aten::cat": ({ tensors, dim }, result, data) => {
    const parts = (tensors as readonly TensorMeta[]).filter(({ shape }) => shape.length === result.shape.length);
    const along = wrapped(dim, result);
    // Where along the dimension each part begins.
    const starts = parts.map((_, i) => parts.slice(0, i).reduce((sum, { shape }) => sum + shape[along]!, 0));
    return coordinates(result.shape).map((at) => {
      const i = starts.findLastIndex((start, k) => start <= at[along]! && parts[k]!.shape[along]! > 0);
      const { shape } = parts[i]!;
      return data.get(parts[i]!)![indexOf(shape, at.with(along, at[along]! - starts[i]!))!]!;
    });
  },
  "aten::index_select": ({ self, dim, index }, { shape }, data) => {
    const [from, picked, along] = [meta(self), data.get(meta(index))!, wrapped(dim, meta(self))];
    return coordinates(shape).map(
      (at) => data.get(from)![indexOf(from.shape, moved(at, along, Number(picked[at[along] ?? 0])))!]!,
    );
  },
  "aten::gather": ({ self, dim, index }, { shape }, data) => {
    const [from, picked, along] = [meta(self), data.get(meta(index))!, wrapped(dim, meta(self))];
    return coordinates(shape).map(
      (at, i) => data.get(from)![indexOf(from.shape, moved(at, along, Number(picked[i])))!]!,
    );
  },
  "aten::scatter_reduce.two": ({ self, dim, index, src, reduce }, result, data) => {
    if (reduce !== "sum") throw new Error(`no kernel for scatter_reduce by ${reduce}`);
    const [to, along] = [data.get(meta(index))!, wrapped(dim, result)];
    const { sums, add } = accumulated(result);
    for (const [i, at] of coordinates(meta(index).shape).entries()) {
      add(moved(at, along, Number(to[i])), Number(data.get(meta(src))![indexOf(meta(src).shape, at)!]));
    }
    return data.get(meta(self))!.map((value, i) => Number(value) + sums[i]!);
  },
  "aten::as_strided_scatter": ({ self, src, size, stride, storage_offset }, _, data) => {
    const result = [...data.get(meta(self))!];
    const view = { shape: ints(size), strides: ints(stride), offset: Number(storage_offset) };
    for (const [i, at] of offsets(view).entries()) result[at] = data.get(meta(src))![i]!;
    return result;
  },
  "aten::sum.dim_IntList": reduction((sum, value) => sum + value),
  "aten::amax": reduction(Math.max),
  "aten::amin": reduction(Math.min),
  "aten::cumsum": ({ self, dim }, { shape }, data) => {
    const along = wrapped(dim, meta(self));
    const from = data.get(meta(self))!;
    return coordinates(shape).map((at) =>
      Array.from({ length: at[along] === undefined ? 1 : at[along] + 1 }, (_, k) =>
        Number(from[shape.length === 0 ? 0 : indexOf(shape, at.with(along, k))!]),
      ).reduce((sum, value) => sum + value, 0),
    );
  },
  "aten::bmm": ({ self, mat2 }, { shape }, data) => {
    const [a, b] = [meta(self), meta(mat2)];
    return coordinates(shape).map(([n, row, column]) =>
      Array.from(
        { length: a.shape[2]! },
        (_, k) =>
          Number(data.get(a)![indexOf(a.shape, [n!, row!, k])!]) *
          Number(data.get(b)![indexOf(b.shape, [n!, k, column!])!]),
      ).reduce((sum, value) => sum + value, 0),
    );
  },
  "aten::convolution": convolution,
};

/** Computes the values of the windows of a pooling, and the position of each in its plane. */
export function maxPool(
  { self, ...args }: Call["args"],
  result: TensorMeta,
  data: ReferenceData,
): readonly (readonly number[])[] {
  const from = meta(self);
  const [kernel, padding, dilation] = [ints(args.kernel_size), ints(args.padding), ints(args.dilation)];
  const stride = ints(args.stride).length === 0 ? kernel : ints(args.stride);
  const plane = from.shape.slice(-2);
  const windows = coordinates(result.shape).map((at) => {
    const taps = coordinates([per(kernel, 0), per(kernel, 1)]).flatMap((tap) => {
      const place = tap.map((t, d) => at.at(d - 2)! * per(stride, d) - per(padding, d) + t * per(dilation, d));
      const index = indexOf(plane, place);
      return index === undefined
        ? []
        : [{ index, value: Number(data.get(from)![indexOf(from.shape, [...at.slice(0, -2), ...place])!]) }];
    });
    return taps.reduce((most, tap) => (tap.value > most.value ? tap : most));
  });
  return [windows.map(({ value }) => value), windows.map(({ index }) => index)];
}
