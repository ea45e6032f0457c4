import { spawn } from "node:child_process";
import { mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { HostTensor } from "@pt2/backend";
import { openArchive, openSafetensors, readTensor, type WeightTensor } from "@pt2/format";
import { fromFile } from "@pt2/format/node";
import { importProgram, type Program } from "@pt2/graph";

/** A module that returns a loss, as `scripts/python/export_training.py` writes it. */
export interface TrainingProgram {
  readonly program: Program;
  readonly weights: ReadonlyMap<string, WeightTensor>;
  /** PyTorch's own program of forward and backward; null where it cannot make one. */
  readonly joint: string | null;
  readonly inputs: readonly HostTensor[];
  /** What PyTorch computes: `loss`, `grad.NAME`, `buffer.NAME`, and `joint.N` of its joint program. */
  readonly expected: ReadonlyMap<string, HostTensor>;
  close(): Promise<void>;
}

/** The names of the modules in `scripts/python/training/zoo.py`. */
export const TRAINING_NAMES: readonly string[] =
  `perceptron dropped digits resnet mobilenet volumes shrinking unet lstm gru rnn temporal experts bag encoder denoiser spatial
  physics gaussian detection contrastive variational triplet distillation smoothing multilabel robust hinge poisson bert
  distilbert gpt2 llama t5 vit`.split(/\s+/);

/** Writes the programs to a new folder, which the caller removes. */
export async function exportTraining(python: string, names: readonly string[] = TRAINING_NAMES): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pt2-training-"));
  const script = fileURLToPath(new URL("../../scripts/python/export_training.py", import.meta.url));
  const child = spawn(python, ["-W", "ignore", script, folder, "--only", ...names], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const errors: string[] = [];
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  if (code !== 0) throw new Error(errors.join("").slice(-2000));
  return folder;
}

/** Opens one of the programs. */
export async function openTraining(folder: string, name: string): Promise<TrainingProgram> {
  const archive = await openArchive(await fromFile(join(folder, `${name}.pt2`)));
  const file = await fromFile(join(folder, `${name}.safetensors`));
  const expected = new Map<string, HostTensor>();
  for (const [key, tensor] of await openSafetensors(file)) {
    const { dtype, shape, bytes } = await readTensor(tensor);
    expected.set(key, new HostTensor(dtype, shape, bytes));
  }
  await file.close?.();
  const inputs = [...expected].flatMap(([key, tensor]) => (/^input\.\d+$/.test(key) ? [{ key, tensor }] : []));
  inputs.sort((a, b) => Number(a.key.slice(6)) - Number(b.key.slice(6)));
  const joint = `${name}.joint.pt2`;
  return {
    program: importProgram(await archive.program()),
    weights: await archive.weights(),
    joint: (await readdir(folder)).includes(joint) ? join(folder, joint) : null,
    inputs: inputs.map(({ tensor }) => tensor),
    expected,
    close: () => archive.close(),
  };
}
