import { backendError, numel } from "@pt2/backend";
import { DTYPES } from "@pt2/format";
import { isTruthy } from "../dynamic/elements.ts";
import { type HostData, isHostData, type RunValue } from "./run-value.ts";

/** Whether a number, or a tensor with one element, is true in Python. */
export function truth(value: RunValue): boolean {
  if (isHostData(value)) return isTruthy(value)(0);
  return typeof value === "object" && value !== null && "float" in value ? value.float !== 0 : Boolean(value);
}

/** Returns the common length of the first dimension. */
export function rowsOf(tensors: readonly HostData[]): number {
  const rows = tensors[0]?.shape[0];
  if (rows === undefined || tensors.some(({ shape }) => shape[0] !== rows)) {
    throw rowsError("need inputs with one common first dimension", tensors);
  }
  return rows;
}

/** Returns {@link rowsOf}, for a loop that has no results without an iteration. */
export function someRowsOf(tensors: readonly HostData[]): number {
  const rows = rowsOf(tensors);
  if (rows === 0) throw rowsError("need at least one row", tensors);
  return rows;
}

function rowsError(need: string, tensors: readonly HostData[]): Error {
  const shapes = tensors.map(({ shape }) => `[${shape}]`);
  return backendError("backend.control-flow", { what: `scan and map ${need}, given [${shapes}]` });
}

/** Returns a row of zeros, which stands for the rows of a tensor that has none. */
export function zeroRow({ dtype, shape }: HostData): HostData {
  const row = shape.slice(1);
  return { dtype, shape: row, bytes: new Uint8Array(numel(row) * DTYPES[dtype].itemsize) };
}

/** Returns the stack of no results, with the shapes of results like these. */
export function noRows(results: readonly RunValue[]): readonly HostData[] {
  const tensors = results as readonly HostData[];
  return tensors.map(({ dtype, shape }) => ({ dtype, shape: [0, ...shape], bytes: new Uint8Array(0) }));
}

/** Returns `tensor[i]`, without a copy. */
export function rowOf({ dtype, shape, bytes }: HostData, i: number): HostData {
  const size = bytes.byteLength / shape[0]!;
  return { dtype, shape: shape.slice(1), bytes: bytes.subarray(i * size, (i + 1) * size) };
}

/** Returns `torch.stack` of each column of results. */
export function stackRows(rows: readonly (readonly RunValue[])[]): readonly HostData[] {
  const [first] = rows as readonly (readonly HostData[])[];
  const alike = ({ dtype, shape }: HostData, other: RunValue | undefined): boolean =>
    isHostData(other) && other.dtype === dtype && `${other.shape}` === `${shape}`;
  if (!first!.every((tensor, column) => rows.every((row) => isHostData(tensor) && alike(tensor, row[column])))) {
    throw backendError("backend.control-flow", {
      what: "The results of one iteration do not have the dtypes and shapes of another's",
      advice: "They cannot be stacked; the program is damaged.",
    });
  }
  return first!.map(({ dtype, shape }, column) => {
    const parts = rows.map((row) => (row[column] as HostData).bytes);
    const bytes = new Uint8Array(parts.reduce((n, part) => n + part.byteLength, 0));
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.byteLength;
    }
    return { dtype, shape: [rows.length, ...shape], bytes };
  });
}
