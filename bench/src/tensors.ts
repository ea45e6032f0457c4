import { type HostTensor, hostTensor, viewAs } from "@pt2/backend";
import { type DType, readSafetensors } from "@pt2/format";
import { fromFile } from "@pt2/format/node";
import { type ErrorUnit, worstError } from "@pt2/testing/worst-error";

/** Reads the tensors of a file whose keys are positions, in order. */
export async function readTensors(path: string): Promise<readonly HostTensor[]> {
  const source = await fromFile(path);
  const { tensors } = await readSafetensors(source);
  await source.close?.();
  return [...tensors]
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([, { dtype, shape, bytes }]) => hostTensor(dtype, shape, viewAs(dtype, bytes)));
}

/** The unit of errors of a model's results. */
export const ALLOWED: ErrorUnit = { rtol: 1e-3, atol: 1e-4 };

/** That of results in half precision, of whose numbers PyTorch rounds each on the way: of the largest element. */
const ROUNDED: { readonly [D in DType]?: number } = { float16: 3e-2, bfloat16: 3e-1 };

/** The worst error of results as a fraction of what is allowed. */
export function worstOf(results: readonly ArrayLike<number | bigint>[], expected: readonly HostTensor[]): number {
  return Math.max(
    ...expected.map(({ data, dtype }, i) => {
      const rounded = ROUNDED[dtype];
      const largest = rounded && (data as Float32Array).reduce((most, value) => Math.max(most, Math.abs(value)), 0);
      return worstError(
        results[i] ?? [],
        data,
        largest === undefined ? ALLOWED : { rtol: 0, atol: rounded! * largest },
      );
    }),
  );
}
