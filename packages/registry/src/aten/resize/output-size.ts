import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";

/** The size and the scale factors of an `upsample_*.vec` call, of which one is given. */
export interface Target {
  readonly size: readonly number[];
  /** The factors that the user gave; null if only the sizes are known. */
  readonly scales: readonly (number | null)[];
}

/** Resolves `output_size` or `scale_factors`. */
export function targetOf(
  input: TensorMeta,
  output: readonly number[] | null,
  factors: readonly number[] | null,
  spatial: number,
): Target {
  check((output === null) !== (factors === null), "Must specify exactly one of output_size and scale_factors");
  check(
    input.shape.length === spatial + 2,
    () => `It is expected input_size equals to ${spatial + 2}, but got size ${input.shape.length}`,
  );
  const given = output ?? factors!;
  check(
    given.length === spatial,
    () => `expected ${spatial} values of output_size or scale_factors, but got ${show(given)}`,
  );
  if (output !== null) return { size: output, scales: output.map(() => null) };
  return { size: factors!.map((factor, d) => Math.floor(input.shape[d + 2]! * factor)), scales: factors! };
}

/** Infers the shape of an upsampled tensor. */
export function resized(input: TensorMeta, size: readonly number[]): TensorMeta {
  const spatial = size.length;
  check(
    input.shape.length === spatial + 2,
    () => `It is expected input_size equals to ${spatial + 2}, but got size ${input.shape.length}`,
  );
  check(
    input.shape.slice(1).every((n) => n > 0) && size.every((n) => n > 0),
    () => `Input and output sizes should be greater than 0, but got input ${show(input.shape)} output ${show(size)}`,
  );
  return { dtype: input.dtype, shape: [...input.shape.slice(0, 2), ...size] };
}
