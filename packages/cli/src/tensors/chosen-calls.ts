import type { Call, LeafInfo, Model } from "@pt2/runtime";
import { cliError } from "../cli-errors.ts";
import type { Options } from "../options.ts";
import { leavesOf, readCalls } from "./calls.ts";
import { readSampleCall } from "./sample-call.ts";
import { parseScalars } from "./sidecar.ts";

/** Returns the calls that the command line selects: those of `--inputs`, or the archive's sample call. */
export async function chosenCalls(options: Options, model: Model): Promise<readonly Call[]> {
  const path = options.text("inputs");
  if (path !== undefined) {
    const calls = await readCalls(path, model.inputs, options.texts("scalar"));
    return calls.map((leaves) => ({ leaves }));
  }
  const scalars = parseScalars(options.texts("scalar"));
  if (model.inputs.every(({ name, type }) => type.kind === "constant" || scalars.has(name)))
    return [{ leaves: leavesOf(model.inputs, new Map(), scalars, options.file) }];
  const sample = await readSampleCall(options.file, options.text("model"));
  if (sample !== undefined) return [sample];
  throw noInputs(options.file, model.inputs);
}

/** Creates the error for a file without a sample call. */
export function noInputs(where: string, inputs: readonly LeafInfo[]): Error {
  return cliError("cli.no-inputs", {
    what: "The archive has no sample inputs that can be read",
    where,
    advice: `pass --inputs with ${inputs.map(({ name }) => name).join(", ")}`,
  });
}
