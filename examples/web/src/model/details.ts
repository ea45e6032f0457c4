import { describeModel, type ModelReport, sampleCall } from "@pt2/cli";
import type { WeightTensor } from "@pt2/format";
import { importProgram, type Program } from "@pt2/graph";
import type { Call } from "@pt2/runtime";
import type { OpenFile } from "./open.ts";

/** A model of an open file, and everything that is known of it before a weight is read. */
export interface ModelDetails {
  readonly file: OpenFile;
  readonly report: ModelReport;
  /** As it was exported. */
  readonly program: Program;
  /** By fully qualified name; none is read. */
  readonly weights: ReadonlyMap<string, WeightTensor>;
  /** The call that the archive keeps as an example. */
  readonly sample: Call | undefined;
}

/** Reads the program of a model, by its name in the archive. */
export async function readDetails(file: OpenFile, name: string): Promise<ModelDetails> {
  const { archive } = file;
  const report = await describeModel(archive, name);
  const program = importProgram(await archive.program(name));
  // An example of classes that are not known here is no reason not to show the rest.
  const sample = await sampleCall(archive, name).catch(() => undefined);
  return { file, report, program, weights: await archive.weights(name), sample };
}
