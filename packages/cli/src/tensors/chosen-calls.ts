import { Pt2Error } from "@pt2/format";
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
  let problem: Pt2Error | undefined;
  const sample = await readSampleCall(options, (found) => {
    problem = found;
  });
  if (sample === undefined) throw noInputs(options.file, model.inputs, problem);
  return [{ leaves: withScalars(leavesOfSample(sample, options.file, model), model.inputs, texts, options.file) }];
}

/** An instance of a class may have other attributes than the program takes of it. */
function leavesOfSample(sample: Call, file: string, model: Model): readonly unknown[] {
  try {
    return model.leavesOf(sample);
  } catch (error) {
    throw error instanceof Pt2Error ? noInputs(file, model.inputs, error) : error;
  }
}

/** Creates the error for a file without a sample call, or with one that cannot be read. */
export function noInputs(where: string, inputs: readonly LeafInfo[], problem?: Pt2Error): Error {
  return cliError("cli.no-inputs", {
    what: `There are no sample inputs that can be read${problem === undefined ? "" : `: ${problem.what}`}`,
    where,
    cause: problem,
    advice: `pass --inputs with ${inputs.map(({ name }) => name).join(", ")}`,
  });
}
