import { check, show } from "../aten/support/check.ts";
import { emit } from "../aten/support/emit.ts";
import type { Builder } from "../builder.ts";
import type { TensorMeta } from "../tensor-meta.ts";

/**
 * A tensor divided into blocks that share a scale: a divided dimension becomes two, the number of blocks and their
 * size.
 */
export interface Blocks {
  readonly shape: readonly number[];
  /** The dimensions of `shape` that lie within a block. */
  readonly inner: readonly number[];
}

/** Divides a tensor as torchao does. A dimension stays undivided if the block is as long as it, or has one element. */
export function blocksOf(size: readonly number[], blockSize: readonly number[]): Blocks {
  check(blockSize.length === size.length, () => `Got input dim:${size.length}, block_size: ${show(blockSize)}`);
  const shape: number[] = [];
  const inner: number[] = [];
  for (const [d, block] of blockSize.entries()) {
    const length = size[d]!;
    if (block !== length && block > 1) {
      check(
        length % block === 0,
        () =>
          `Expecting input size at ${d} dimension: ${length} to be divisible by block_size at ${d} dimension: ${block}`,
      );
      shape.push(length / block, block);
      inner.push(shape.length - 1);
    } else {
      shape.push(length);
      if (block !== 1) inner.push(shape.length - 1);
    }
  }
  return { shape, inner };
}

/** Reshapes one number per block so that it broadcasts to the divided tensor. */
export function perBlock(b: Builder, { shape, inner }: Blocks, qparams: TensorMeta): TensorMeta {
  return emit(b).reshape(
    qparams,
    shape.map((size, d) => (inner.includes(d) ? 1 : size)),
  );
}

/** Returns the number of blocks along each dimension. */
export function blockCounts(size: readonly number[], blockSize: readonly number[]): readonly number[] {
  check(!blockSize.includes(0), () => `block_size ${show(blockSize)} has a zero in it`);
  return size.map((length, d) => Math.floor(length / blockSize[d]!));
}
