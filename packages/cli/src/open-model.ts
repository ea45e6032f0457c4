import { Pt2Error } from "@pt2/format";
import type { Program } from "@pt2/graph";
import type { Model, ProgramSource } from "@pt2/runtime";
import { load, openProgram, readSchema } from "@pt2/runtime/node";
import { BACKEND_OPTIONS, chooseBackend, SEED_OPTION } from "./backends.ts";
import { cliError } from "./cli-errors.ts";
import type { OptionSpec } from "./command-syntax.ts";
import { CONFIG_OPTION } from "./load-config.ts";
import { holdsWeightsAlone, isProgramText, openParts } from "./open-parts.ts";
import type { Options } from "./options.ts";
import { ProgressBar } from "./terminal/progress.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { OPS_OPTION, userOps } from "./user-ops.ts";

/** The option that selects a program of an archive. */
export const MODEL_OPTION: OptionSpec = { name: "model", value: "NAME", help: "which model of the archive" };

const WEIGHTS_OPTION: OptionSpec = {
  name: "weights",
  value: "W",
  help: "FILE is a program of `pt2 graph`, as JSON or text, and this .safetensors or .pt2 file has its weights",
};

/** Options of commands that load a program. */
export const LOAD_OPTIONS: readonly OptionSpec[] = [
  ...BACKEND_OPTIONS,
  SEED_OPTION,
  OPS_OPTION,
  CONFIG_OPTION,
  MODEL_OPTION,
  WEIGHTS_OPTION,
];

/** A loaded model with its load time. */
export interface OpenModel {
  readonly model: Model;
  readonly loadMs: number;
}

/** Returns the value of `--model` as an option of `load`. */
export function modelChoice(options: Options): { readonly model?: string } {
  const model = options.text("model");
  return model === undefined ? {} : { model };
}

/** Opens the program of a command line: an archive, or what `pt2 graph` writes with the weights of `--weights`. */
export async function openChosen(options: Options): Promise<Required<ProgramSource>> {
  const weights = options.path("weights");
  const { model } = modelChoice(options);
  if (weights !== undefined) return await openParts(options.file, weights, model);
  return await openProgram(options.file, modelChoice(options)).catch((problem) => adviseWeights(problem, options.file));
}

/** Returns the program of a command line; nothing is read of the weights of an archive. */
export async function readChosen(options: Options): Promise<Program> {
  if (options.path("weights") === undefined) {
    const schema = readSchema(options.file, modelChoice(options));
    return (await schema.catch((problem) => adviseWeights(problem, options.file))).program;
  }
  const { program, close } = await openChosen(options);
  await close();
  return program;
}

/** Returns the archive that has a sample call: with a program of `pt2 graph` that of its weights, if they are in one. */
export async function archiveOf(options: Options): Promise<string | undefined> {
  const weights = options.path("weights");
  if (weights === undefined) return options.file;
  return (await holdsWeightsAlone(weights)) ? undefined : weights;
}

/** The error of a file that is no archive cannot tell that a program of `pt2 graph` is one with its weights. */
async function adviseWeights(problem: unknown, where: string): Promise<never> {
  const isOther = problem instanceof Pt2Error && problem.code === "format.not-an-archive";
  if (!isOther || !(await isProgramText(where))) throw problem;
  throw cliError("cli.usage", {
    what: "The file is text, not a .pt2 file",
    where,
    advice: "if `pt2 graph` wrote it, pass where its weights are: --weights model.pt2, or a .safetensors file",
    cause: problem,
  });
}

/** Loads the file of a command line, calls `use`, and releases everything. */
export async function withModel<T>(
  options: Options,
  terminal: Terminal,
  use: (opened: OpenModel) => Promise<T>,
  precision: "exact" | "fast" = "fast",
): Promise<T> {
  const own = await userOps(options);
  const backend = await chooseBackend(options, terminal);
  const bar = new ProgressBar(terminal);
  const begin = performance.now();
  try {
    const source = options.path("weights") === undefined ? options.file : await openChosen(options);
    const model = await load(source, { backend, ...own, precision, onProgress: bar.update, ...modelChoice(options) })
      .catch((problem) => adviseWeights(problem, options.file))
      .finally(() => bar.end());
    try {
      return await use({ model, loadMs: performance.now() - begin });
    } finally {
      await model.dispose();
    }
  } finally {
    await backend.dispose();
  }
}
