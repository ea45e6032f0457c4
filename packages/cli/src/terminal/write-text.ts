import { usageError } from "../cli-errors.ts";
import { fileAt, replaceFile } from "./replace-file.ts";

/** Writes a file of the command line that was made of the file `source`, which it may not replace. */
export async function writeText(path: string, text: string, source?: string): Promise<void> {
  if (source !== undefined && (await fileAt(path)) === (await fileAt(source).catch(() => undefined))) {
    throw usageError(`--output would replace "${source}" itself`, "name another file");
  }
  await replaceFile(path, (write) => write(new TextEncoder().encode(text)));
}
