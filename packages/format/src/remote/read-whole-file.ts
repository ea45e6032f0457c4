import { checkLimit } from "../limits.ts";
import { allocate } from "./allocate.ts";
import type { Answer } from "./http-request.ts";
import { brokenOff, ioError } from "./remote-errors.ts";

/** Reads the whole body, after `before`. A body of unknown length is limited. */
export async function readWhole(
  answer: Answer,
  where: string,
  before: Uint8Array = new Uint8Array(0),
): Promise<Uint8Array> {
  const length = declaredLength(answer);
  return length === undefined
    ? await readUnsized(answer, where, before)
    : await readSized(answer, where, before, length);
}

async function readSized(answer: Answer, where: string, before: Uint8Array, length: number): Promise<Uint8Array> {
  const bytes = allocate(before.byteLength + length, where);
  bytes.set(before);
  let at = before.byteLength;
  for await (const chunk of answer.body()) {
    if (at + chunk.byteLength > bytes.byteLength)
      throw ioError(where, `the server sent more than the ${length} bytes it declared`);
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  if (at < bytes.byteLength) throw brokenOff(where);
  return bytes;
}

async function readUnsized(answer: Answer, where: string, before: Uint8Array): Promise<Uint8Array> {
  const chunks = [before];
  let length = before.byteLength;
  for await (const chunk of answer.body()) {
    chunks.push(chunk);
    length += chunk.byteLength;
    checkLimit("unsizedDownloadBytes", length, where);
  }
  const bytes = allocate(length, where);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

/** Returns undefined where the server does not declare the length, or counts encoded bytes. */
function declaredLength({ headers }: Answer): number | undefined {
  const coding = headers.get("content-encoding") ?? "identity";
  const length = Number(headers.get("content-length") ?? Number.NaN);
  return coding === "identity" && Number.isSafeInteger(length) ? length : undefined;
}
