import { type HostTensor, hostTensor, viewAs } from "@pt2/backend";
import { readSafetensors } from "@pt2/format";
import { fromFile } from "@pt2/format/node";

/** The tensors of a file whose keys are positions, in order. */
export async function readTensors(path: string): Promise<readonly HostTensor[]> {
  const source = await fromFile(path);
  const { tensors } = await readSafetensors(source);
  await source.close?.();
  return [...tensors]
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([, { dtype, shape, bytes }]) => hostTensor(dtype, shape, viewAs(dtype, bytes)));
}

/** The worst error as a fraction of what `rtol` and `atol` allow. */
export function worstError(
  got: ArrayLike<number | bigint>,
  expected: ArrayLike<number | bigint>,
  { rtol, atol }: { readonly rtol: number; readonly atol: number } = { rtol: 1e-3, atol: 1e-4 },
): number {
  if (got.length !== expected.length) return Number.POSITIVE_INFINITY;
  let worst = 0;
  for (let i = 0; i < expected.length; i++) {
    const want = Number(expected[i]);
    const error = Math.abs(Number(got[i]) - want) / (atol + rtol * Math.abs(want));
    worst = error > worst || Number.isNaN(error) ? error : worst;
  }
  return worst;
}
