// What a page that generates text imports; tests write the rest of it through `globalThis.generation`.
import { wasm } from "@pt2/backend-wasm";
import { webgpu } from "@pt2/backend-webgpu";
import { loadLanguageModel, streamText } from "@pt2/generate";

/** What the page offers to the tests. */
export interface Page {
  readonly loadLanguageModel: typeof loadLanguageModel;
  readonly streamText: typeof streamText;
  readonly wasm: typeof wasm;
  readonly webgpu: typeof webgpu;
}

declare global {
  var generation: Page;
}

globalThis.generation = { loadLanguageModel, streamText, wasm, webgpu };
