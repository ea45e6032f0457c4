import { type HostTensor, hostTensor, viewAs } from "@pt2/backend";
import { readSafetensors } from "@pt2/format";
import { fromFile } from "@pt2/format/node";
import type { ErrorUnit } from "@pt2/testing/worst-error";

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
