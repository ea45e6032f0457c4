// Writes and reads checkpoints; it is loaded when there is one.
import { HostTensor } from "@pt2/backend";
import { fromBytes, readSafetensors, type WeightTensor, writeSafetensors } from "@pt2/format";
import { isStateMutation, type Program } from "@pt2/graph";
import { memoryWeight } from "./memory-weight.ts";
import type { Optimizer } from "./optimizers.ts";
import { trainError } from "./train-errors.ts";
import type { TrainingOptions } from "./with-optimizer.ts";

/** How far training has come: updates, and batches since the last one. */
export interface Progress {
  readonly step: number;
  readonly micro: number;
  /** The number of batches for an update. */
  readonly accumulate: number;
}

interface Checkpoint extends Progress {
  readonly tensors: ReadonlyMap<string, HostTensor>;
}

/** Writes parameters, buffers and the optimizer's state as a `.safetensors` file. */
export async function writeCheckpoint(
  { name }: Optimizer,
  { step, micro, accumulate }: Progress,
  state: ReadonlyMap<string, HostTensor>,
): Promise<Uint8Array> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const metadata = new Map([
    ["optimizer", name],
    ["step", String(step)],
    ["micro", String(micro)],
    ["accumulate", String(accumulate)],
  ]);
  await writeSafetensors(new Map([...state]), (bytes) => void chunks.push(bytes.slice()), metadata);
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** Replaces weights and state, in `weights`, by those of a checkpoint; returns how far it had come. */
export async function restore(
  bytes: Uint8Array,
  { optimizer, accumulate }: TrainingOptions,
  weights: Map<string, WeightTensor>,
  { outputs }: Program,
): Promise<Progress> {
  const { tensors, ...progress } = await readCheckpoint(bytes, optimizer);
  if (progress.micro > 0 && progress.accumulate !== accumulate) {
    throw trainError("train.checkpoint", {
      what: `The checkpoint has the gradients of ${progress.micro} of ${progress.accumulate} batches, and \`accumulate\` is ${accumulate}`,
      advice: `Continue with \`accumulate: ${progress.accumulate}\`, or from a checkpoint that was made behind an update.`,
    });
  }
  for (const { target: name } of outputs.filter(isStateMutation)) {
    const [tensor, weight] = [tensors.get(name), weights.get(name)];
    if (
      tensor === undefined ||
      weight === undefined ||
      `${tensor.shape}` !== `${weight.shape}` ||
      tensor.dtype !== weight.dtype
    ) {
      throw trainError("train.checkpoint", {
        what: `The checkpoint has ${tensor === undefined ? "no" : "another"} \`${name}\``,
        advice: "Make the trainer with the same program and options as the one that made the checkpoint.",
        details: { name },
      });
    }
    weights.set(name, memoryWeight(name, weight.kind, tensor));
  }
  return progress;
}

async function readCheckpoint(bytes: Uint8Array, { name }: Optimizer): Promise<Checkpoint> {
  const { tensors, metadata } = await readSafetensors(fromBytes(bytes));
  const [step, micro] = [Number(metadata.get("step")), Number(metadata.get("micro"))];
  const accumulate = Number(metadata.get("accumulate") ?? 1);
  if (metadata.get("optimizer") !== name || !Number.isInteger(step) || !Number.isInteger(micro)) {
    throw trainError("train.checkpoint", {
      what: `The checkpoint is of ${metadata.get("optimizer") ?? "no optimizer"}, and the optimizer is ${name}`,
      advice: "Pass what `checkpoint()` of a trainer with the same optimizer returned.",
    });
  }
  const made = [...tensors].map(
    ([key, { dtype, shape, bytes: data }]) => [key, new HostTensor(dtype, shape, data)] as const,
  );
  return { step, micro, accumulate, tensors: new Map(made) };
}
