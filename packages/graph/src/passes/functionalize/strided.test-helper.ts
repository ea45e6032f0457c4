import { numel } from "@pt2/format";

/** A tensor over shared memory, as PyTorch has it; for tests of what aliases what. */
export interface Strided {
  readonly data: Float64Array;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly offset: number;
}

function denseStrides(shape: readonly number[]): readonly number[] {
  return shape.map((_, i) => numel(shape.slice(i + 1)));
}

/** A dense tensor of its own. */
export function dense(shape: readonly number[], values: ArrayLike<number>): Strided {
  return { data: Float64Array.from(values), shape, strides: denseStrides(shape), offset: 0 };
}

/** Positions in memory of all elements, in row-major order. */
function positions({ shape, strides, offset }: Strided): readonly number[] {
  return shape.reduce<readonly number[]>(
    (starts, size, dim) => starts.flatMap((start) => Array.from({ length: size }, (_, i) => start + i * strides[dim]!)),
    [offset],
  );
}

export function elements(tensor: Strided): readonly number[] {
  return positions(tensor).map((at) => tensor.data[at]!);
}

/** Writes elements in row-major order. */
export function assign(tensor: Strided, values: readonly number[]): void {
  positions(tensor).forEach((at, i) => {
    tensor.data[at] = values[i]!;
  });
}

export function isDense({ shape, strides }: Strided): boolean {
  const wanted = denseStrides(shape);
  return numel(shape) === 0 || shape.every((size, i) => size === 1 || strides[i] === wanted[i]);
}

/** The elements in another shape without a copy, or null where strides cannot say it. */
export function viewAs(tensor: Strided, shape: readonly number[]): Strided | null {
  const places = positions(tensor);
  const steps = denseStrides(shape);
  const strides = shape.map((size, i) => (size > 1 ? places[steps[i]!]! - places[0]! : 1));
  const view = { ...tensor, shape, strides };
  return positions(view).every((at, i) => at === places[i]) ? view : null;
}

export function broadcast(tensor: Strided, shape: readonly number[]): Strided {
  const missing = shape.length - tensor.shape.length;
  const strides = shape.map((size, i) => {
    const own = tensor.shape[i - missing];
    return own === undefined || (own === 1 && size !== 1) ? 0 : tensor.strides[i - missing]!;
  });
  return { ...tensor, shape, strides };
}

export function slice(tensor: Strided, dim: number, start: number, end: number, step: number): Strided {
  const size = tensor.shape[dim]!;
  const clamp = (at: number): number => Math.min(Math.max(at < 0 ? at + size : at, 0), size);
  const [from, to] = [clamp(start), clamp(end)];
  return {
    ...tensor,
    shape: tensor.shape.with(dim, Math.max(Math.ceil((to - from) / step), 0)),
    strides: tensor.strides.with(dim, tensor.strides[dim]! * step),
    offset: tensor.offset + from * tensor.strides[dim]!,
  };
}

export function select(tensor: Strided, dim: number, index: number): Strided {
  const at = index < 0 ? index + tensor.shape[dim]! : index;
  const rest = <T>(list: readonly T[]): readonly T[] => list.toSpliced(dim, 1);
  const offset = tensor.offset + at * tensor.strides[dim]!;
  return { ...tensor, shape: rest(tensor.shape), strides: rest(tensor.strides), offset };
}

export function permute(tensor: Strided, dims: readonly number[]): Strided {
  return { ...tensor, shape: dims.map((d) => tensor.shape[d]!), strides: dims.map((d) => tensor.strides[d]!) };
}

export function diagonal(tensor: Strided): Strided {
  const [a, b] = tensor.strides;
  const size = Math.min(tensor.shape[0]!, tensor.shape[1]!);
  return { ...tensor, shape: [...tensor.shape.slice(2), size], strides: [...tensor.strides.slice(2), a! + b!] };
}
