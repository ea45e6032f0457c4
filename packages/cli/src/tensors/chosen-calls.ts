import type { Call, LeafInfo, Model } from "@pt2/runtime";
import { cliError } from "../cli-errors.ts";
import type { Options } from "../options.ts";
import { leavesOf, readCalls, withScalars } from "./calls.ts";
import { readSampleCall } from "./sample-call.ts";
import { parseScalars } from "./sidecar.ts";

/** Returns the calls that the command line selects: those of `--inputs`, or the archive's sample call; with `--scalar`. */
export async function chosenCalls(options: Options, model: Model): Promise<readonly Call[]> {
  const path = options.path("inputs");
  if (path !== undefined) {
    const calls = await readCalls(path, model.inputs, options.texts("scalar"));
    return calls.map((leaves) => ({ leaves }));
  }
  const texts = options.texts("scalar");
  const scalars = parseScalars(texts);
  if (model.inputs.every(({ name, type }) => type.kind === "constant" || scalars.has(name)))
    return [{ leaves: leavesOf(model.inputs, new Map(), scalars, options.file) }];
  const sample = await readSampleCall(options);
  if (sample !== undefined) return [{ leaves: withScalars(model.leavesOf(sample), model.inputs, texts, options.file) }];
  throw noInputs(options.file, model.inputs);
}

/** Creates the error for a file without a sample call. */
export function noInputs(where: string, inputs: readonly LeafInfo[]): Error {
  return cliError("cli.no-inputs", {
    what: "There are no sample inputs that can be read",
    where,
    advice: `pass --inputs with ${inputs.map(({ name }) => name).join(", ")}`,
  });
}
