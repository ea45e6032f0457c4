/** The exports of `@pt2/vision`, with files and `sharp` as pictures, and paths as sources. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Model, ModelSource } from "@pt2/runtime";
import { load } from "@pt2/runtime/node";
import { type ClassifierOptions, ImageClassifier } from "./classifier.ts";
import { type DetectorOptions, ImageDetector } from "./detector.ts";
import {
  fetchPreset,
  type LoadVisionOptions,
  loadWith,
  presetAddress,
  type Surroundings,
  unreadablePreset,
} from "./load.ts";
import { NODE_IMAGES, type NodeImage } from "./node-images.ts";
import { requireModel } from "./requirements.ts";

export * from "./index.ts";
export type { NodeImage, SharpLike } from "./node-images.ts";

const NODE: Surroundings<NodeImage> = { reader: NODE_IMAGES, load, readPreset };

/** Finds things in pictures with a loaded model, which stays the caller's. */
export function detector(model: Model, options: DetectorOptions): ImageDetector<NodeImage> {
  requireModel("detector()", model, options, { threshold: "number" });
  return new ImageDetector(model, options, NODE_IMAGES);
}

/** Tells what pictures show with a loaded model, which stays the caller's. */
export function classifier(model: Model, options: ClassifierOptions): ImageClassifier<NodeImage> {
  requireModel("classifier()", model, options, {});
  return new ImageClassifier(model, options, NODE_IMAGES);
}

/** Loads `X.pt2` and the `X.json` beside it. Disposing of the detector frees the model. */
export function loadDetector(
  source: ModelSource,
  options: LoadVisionOptions<DetectorOptions>,
): Promise<ImageDetector<NodeImage>> {
  return loadWith(source, options, NODE, ImageDetector<NodeImage>);
}

/** Loads `X.pt2` and the `X.json` beside it. Disposing of the classifier frees the model. */
export function loadClassifier(
  source: ModelSource,
  options: LoadVisionOptions<ClassifierOptions>,
): Promise<ImageClassifier<NodeImage>> {
  return loadWith(source, options, NODE, ImageClassifier<NodeImage>);
}

/** Reads the preset beside a program, a string that does not begin with `http://` or `https://` being a path. */
async function readPreset(source: ModelSource): Promise<unknown> {
  const address = presetAddress(source);
  if (/^https?:\/\//i.test(address)) return await fetchPreset(source);
  try {
    const path = address.startsWith("file:") ? fileURLToPath(address) : address;
    return JSON.parse(await readFile(path, "utf8"));
  } catch (cause) {
    throw unreadablePreset(address, cause);
  }
}
