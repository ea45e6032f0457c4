import { openArchive } from "@pt2/format";
import type { Call } from "@pt2/runtime";
import { openFile } from "@pt2/runtime/node";
import { sampleCall } from "../report/sample-call.ts";

/** The example call of a file, or undefined where it has none that can be read. */
export async function readSampleCall(file: string, model: string | undefined): Promise<Call | undefined> {
  const archive = await openArchive(await openFile(file));
  try {
    return await sampleCall(archive, model);
  } finally {
    await archive.close();
  }
}
