import { openArchive, type Pt2Error } from "@pt2/format";
import type { Call } from "@pt2/runtime";
import { openFile } from "@pt2/runtime/node";
import { archiveOf } from "../open-model.ts";
import type { Options } from "../options.ts";
import { sampleCall } from "../report/sample-call.ts";

/**
 * Reads the example call of the archive; returns undefined where there is none or it cannot be read. `onProblem` is told
 * why it cannot.
 */
export async function readSampleCall(
  options: Options,
  onProblem: (problem: Pt2Error) => void = () => {},
): Promise<Call | undefined> {
  const file = await archiveOf(options);
  if (file === undefined) return undefined;
  const archive = await openArchive(await openFile(file), { onWarning: onProblem });
  try {
    return await sampleCall(archive, options.text("model"));
  } finally {
    await archive.close();
  }
}
