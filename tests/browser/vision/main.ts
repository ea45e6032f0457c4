// What a page that detects imports; tests write the rest of it through `globalThis.vision`.
import { wasm } from "@pt2/backend-wasm";
import { webgpu } from "@pt2/backend-webgpu";
import { annotate, loadDetector } from "@pt2/vision";

/** What the page offers to the tests. */
export interface Page {
  readonly annotate: typeof annotate;
  readonly loadDetector: typeof loadDetector;
  readonly wasm: typeof wasm;
  readonly webgpu: typeof webgpu;
}

declare global {
  var vision: Page;
}

globalThis.vision = { annotate, loadDetector, wasm, webgpu };
