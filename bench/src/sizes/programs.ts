import { type HostTensor, hostTensor } from "@pt2/backend";
import type { Program } from "@pt2/graph";

/** A program with a size that changes from call to call. */
export interface SizedProgram {
  /** The size of call `i`, all different. */
  readonly size: (i: number) => readonly number[];
  readonly inputs: (program: Program, size: readonly number[]) => readonly HostTensor[];
}

const growing: SizedProgram = {
  size: (i) => [i + 4],
  inputs: (program, [length]) =>
    program.inputs.flatMap((spec) => {
      const type = spec.kind === "user_input" && spec.value !== null ? program.graph.values.get(spec.value) : undefined;
      if (type?.kind !== "tensor") return [];
      if (type.dtype === "int64") return [hostTensor("int64", [1, 1], BigInt64Array.of(5n))];
      return [noise(type.shape.map((size) => (typeof size === "number" ? size : length!)))];
    }),
};

const text: SizedProgram = {
  size: (i) => [i + 8],
  inputs: (_, [length]) => [
    hostTensor(
      "int64",
      [1, length!],
      BigInt64Array.from({ length: length! }, (_, i) => BigInt((i * 37) % 8192)),
    ),
  ],
};

const picture: SizedProgram = {
  // 15 heights with 14 widths.
  size: (i) => [64 + 16 * (i % 15), 64 + 16 * Math.floor(i / 15)],
  inputs: (_, [height, width]) => [noise([1, 3, height!, width!])],
};

/** The programs that `bench_sizes.py` makes, by name. */
export const SIZED: Readonly<Record<string, SizedProgram>> = {
  decoder: growing,
  llama135m: growing,
  encoder: text,
  pictures: picture,
};

/** Numbers between -1 and 1, the same in each call. */
function noise(shape: readonly number[]): HostTensor {
  const length = shape.reduce((count, size) => count * size, 1);
  return hostTensor(
    "float32",
    shape,
    Float32Array.from({ length }, (_, i) => Math.sin(i * 12.9898)),
  );
}
