import { openArchive } from "@pt2/format";
import type { Call } from "@pt2/runtime";
import { openFile } from "@pt2/runtime/node";
import { sampleCall } from "../report/sample-call.ts";

/** Reads the example call of a file; returns undefined where it has none or it cannot be read. */
export async function readSampleCall(file: string, model: string | undefined): Promise<Call | undefined> {
  const archive = await openArchive(await openFile(file));
  try {
    return await sampleCall(archive, model);
  } finally {
    await archive.close();
  }
}
