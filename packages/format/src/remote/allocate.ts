import { formatError } from "../format-errors.ts";

/** Memory for bytes that a server says it has. It may say more than anybody can hold. */
export function allocate(bytes: number, where: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(bytes);
  } catch (cause) {
    throw formatError("format.io", {
      what: `there is no memory for ${bytes} bytes`,
      where,
      advice: "see that the server sends the file that you mean; in Node, load it from a path",
      cause,
    });
  }
}
