import { type ImageDetector, loadDetector, type PageImage } from "@pt2/vision";
import { type BackendId, ready } from "./backends.ts";
import type { ModelChoice } from "./model-choice.ts";

/** A detector that is loaded, and where it runs. */
export interface OpenDetector {
  readonly detector: ImageDetector<PageImage>;
  readonly backend: BackendId;
}

/** Loads the program of a choice on a backend. What the page shows of its answers is up to the user: it gives all of them. */
export async function openDetector({ program, facts }: ModelChoice, id: BackendId): Promise<OpenDetector> {
  const { backend, ops } = await ready(id);
  return { detector: await loadDetector(program, { backend, ops, preset: facts }), backend: id };
}
