import { fileURLToPath } from "node:url";
import { annotateSvg, type Found, loadDetector } from "@pt2/vision/node";
import sharp from "sharp";
import type { Arguments } from "./arguments.ts";
import { ready } from "./backends.ts";

/** What was found, and how long it took. */
export interface Report {
  readonly found: readonly Found[];
  /** Milliseconds until the detector was ready, and from the file of the picture to its boxes. */
  readonly times: { readonly load: number; readonly first: number; readonly next: number };
}

const OWN_MODEL = fileURLToPath(new URL("../digits-and-shapes.pt2", import.meta.url));

/** Finds things in a picture, and writes it with their boxes where the user wants it. */
export async function detect({ picture, output, backend: name, model, threshold }: Arguments): Promise<Report> {
  const { backend, ops } = await ready(name);
  await using _ = backend;
  const started = performance.now();
  await using detector = await loadDetector(model ?? OWN_MODEL, { backend, ops });
  const loaded = performance.now();
  const options = threshold === null ? {} : { threshold };
  const found = await detector.detect(picture, options);
  const answered = performance.now();
  // The first call plans for the size of the picture.
  await detector.detect(picture, options);
  const times = { load: loaded - started, first: answered - loaded, next: performance.now() - answered };
  if (output !== null) await writeAnnotated(picture, found, output);
  return { found, times };
}

/** Writes the picture with boxes in the format that the ending of `output` names. */
async function writeAnnotated(picture: string, found: readonly Found[], output: string): Promise<void> {
  // Upright, as the detector has seen it.
  const { autoOrient } = await sharp(picture).metadata();
  const overlay = Buffer.from(annotateSvg(found, autoOrient));
  await sharp(picture)
    .rotate()
    .composite([{ input: overlay }])
    .toFile(output);
}
