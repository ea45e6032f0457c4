// What a page that detects imports; tests write the rest of it through `globalThis.vision`.
import { wasm } from "@pt2/backend-wasm";
import { webgpu } from "@pt2/backend-webgpu";
import { annotate, loadDetector } from "@pt2/vision";
import type { Done, Job } from "./worker.ts";

/** What the page offers to the tests. */
export interface Page {
  readonly annotate: typeof annotate;
  readonly loadDetector: typeof loadDetector;
  readonly wasm: typeof wasm;
  readonly webgpu: typeof webgpu;
  /** Gives a job to a worker; what is transferred is the page's no more. */
  inWorker(job: Job, transferred: Transferable[]): Promise<Done>;
}

declare global {
  var vision: Page;
}

async function inWorker(job: Job, transferred: Transferable[]): Promise<Done> {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  try {
    return await new Promise<Done>((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<Done | string>) => {
        if (typeof data === "string") reject(new Error(data));
        else resolve(data);
      };
      worker.onerror = ({ message }) => reject(new Error(message));
      worker.postMessage(job, transferred);
    });
  } finally {
    worker.terminate();
  }
}

globalThis.vision = { annotate, inWorker, loadDetector, wasm, webgpu };
