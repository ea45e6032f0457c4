import type { Model } from "@pt2/runtime";
import { load } from "@pt2/runtime/node";
import { BACKEND_OPTIONS, chooseBackend } from "./backends.ts";
import type { OptionSpec } from "./command-syntax.ts";
import { CONFIG_OPTION } from "./load-config.ts";
import type { Options } from "./options.ts";
import { ProgressBar } from "./terminal/progress.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { OPS_OPTION, userOps } from "./user-ops.ts";

/** The option that selects a program of an archive. */
export const MODEL_OPTION: OptionSpec = { name: "model", value: "NAME", help: "which model of the archive" };

const WEIGHTS_OPTION: OptionSpec = {
  name: "weights",
  value: "W.safetensors",
  help: "FILE is a program of `pt2 graph --format json`, and its weights are here",
};

/** Options of commands that load a program. */
export const LOAD_OPTIONS: readonly OptionSpec[] = [
  ...BACKEND_OPTIONS,
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

/** Loads the file of a command line, calls `use`, and releases everything. */
export async function withModel<T>(
  options: Options,
  terminal: Terminal,
  use: (opened: OpenModel) => Promise<T>,
): Promise<T> {
  const own = await userOps(options);
  const weights = options.text("weights");
  const backend = await chooseBackend(options, terminal);
  const bar = new ProgressBar(terminal);
  const begin = performance.now();
  try {
    const model = await load(options.file, {
      backend,
      ...own,
      onProgress: bar.update,
      ...modelChoice(options),
      ...(weights !== undefined && { weights }),
    }).finally(() => bar.end());
    try {
      return await use({ model, loadMs: performance.now() - begin });
    } finally {
      await model.dispose();
    }
  } finally {
    await backend.dispose();
  }
}
