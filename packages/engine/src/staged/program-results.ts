import { backendError } from "@pt2/backend";
import type { Program } from "@pt2/graph";
import { isReturned, isStateMutation } from "@pt2/graph";
import { isTensorData, type RunValue, type TensorData, type TensorType } from "./run-value.ts";

/** What a run of a program has computed, by purpose. */
export interface ProgramResults {
  /** What the run returns, in order: user outputs, the loss, gradients. */
  readonly outputs: readonly RunValue[];
  /** What is to be stored in buffers and parameters, now that every result is there. */
  readonly writes: readonly { readonly target: string; readonly data: TensorData }[];
}

/**
 * Separates outputs from writes. `buffers` are what runs may write, by target; a write that does not fit its buffer is
 * refused.
 */
export function programResults(
  { outputs: specs }: Program,
  results: readonly RunValue[],
  buffers: ReadonlyMap<string, TensorType>,
): ProgramResults {
  const outputs: RunValue[] = [];
  const writes: { readonly target: string; readonly data: TensorData }[] = [];
  for (const [i, spec] of specs.entries()) {
    const result = results[i]!;
    if (isStateMutation(spec))
      writes.push({ target: spec.target, data: checkWrite(spec.target, buffers.get(spec.target), result) });
    else if (isReturned(spec)) outputs.push(result);
  }
  return { outputs, writes };
}

/** The placeholders of the buffers and parameters that results replace, by the positions of results. */
export function writtenBuffers({ inputs, outputs }: Program): ReadonlyMap<number, string> {
  const placeholders = new Map(
    inputs.flatMap((spec) => ("target" in spec ? [[spec.target, spec.value] as const] : [])),
  );
  return new Map(
    outputs.flatMap((spec, i) => (isStateMutation(spec) ? [[i, placeholders.get(spec.target)!] as const] : [])),
  );
}

/**
 * Refuses a result that is to be written to a buffer of another dtype or shape: it would not fit the buffer's memory.
 */
function checkWrite(target: string, buffer: TensorType | undefined, result: RunValue): TensorData {
  if (buffer !== undefined && isTensorData(result)) {
    const { dtype, shape } = result;
    if (dtype === buffer.dtype && `${shape}` === `${buffer.shape}`) return result;
  }
  const given = isTensorData(result) ? `a ${result.dtype} tensor of shape [${result.shape.join(", ")}]` : "no tensor";
  throw backendError("backend.buffer-write", {
    what: `The program writes ${given} to "${target}", ${buffer === undefined ? "which is not one of its buffers" : `a ${buffer.dtype} tensor of shape [${buffer.shape.join(", ")}]`}`,
    advice: "The program is damaged: export it again.",
    details: { target },
  });
}
