// The entry of the worker thread in Node.

import { type FileHandle, open } from "node:fs/promises";
import { parentPort } from "node:worker_threads";
import { wasmError } from "./wasm-errors.ts";
import { startHelper } from "./worker/node-thread.ts";
import { threadNumber } from "./worker/processors-node.ts";
import type { FromWorker, ToWorker } from "./worker/protocol.ts";
import { serve } from "./worker/serve.ts";

const port = parentPort!;

serve(
  {
    post: (message: FromWorker, transfer: readonly ArrayBuffer[] = []) => port.postMessage(message, [...transfer]),
    listen: (receive: (message: ToWorker) => void) => port.on("message", receive),
  },
  async (origin, into) => {
    if (origin.kind === "blob") {
      const part = origin.blob.slice(origin.start, origin.start + into.byteLength);
      into.set(new Uint8Array(await part.arrayBuffer()));
      return;
    }
    const file = await open(origin.path);
    try {
      await readFully(file, into, origin.start, origin.path);
    } finally {
      await file.close();
    }
  },
  { start: startHelper, caller: threadNumber() },
);

async function readFully(file: FileHandle, into: Uint8Array, start: number, path: string): Promise<void> {
  for (let done = 0; done < into.byteLength; ) {
    const { bytesRead } = await file.read(into, done, into.byteLength - done, start + done);
    if (bytesRead === 0) {
      throw wasmError("wasm.truncated", {
        what: "The file was truncated while it was read",
        where: path,
        advice: "Copy or download it again.",
      });
    }
    done += bytesRead;
  }
}
