/** Pictures in, boxes, classes, masks and keypoints out. In Node, `@pt2/vision/node` takes files and `sharp` too. */

import { load, type Model, type ModelSource } from "@pt2/runtime";
import { type ClassifierOptions, ImageClassifier } from "./classifier.ts";
import { type DetectorOptions, ImageDetector } from "./detector.ts";
import { fetchPreset, type LoadVisionOptions, loadWith, type Surroundings } from "./load.ts";
import { PAGE_IMAGES, type PageImage } from "./page-images.ts";
import { requireModel } from "./requirements.ts";

export { type AnnotateContext, annotate } from "./annotate.ts";
export { annotateSvg } from "./annotate-svg.ts";
export type { Camera } from "./camera.ts";
export { type Classified, type ClassifierOptions, type ClassifyOptions, ImageClassifier } from "./classifier.ts";
export { colorOf } from "./colors.ts";
export { type DetectOptions, type DetectorOptions, type Frame, ImageDetector } from "./detector.ts";
export type { AnnotateOptions } from "./drawing.ts";
export type { Found, Keypoint } from "./found.ts";
export type { Box } from "./geometry.ts";
export { type ImageOps, imageOps, type ResizeOptions } from "./image-ops.ts";
export type { LoadVisionOptions } from "./load.ts";
export type { Mask } from "./mask.ts";
export type { PageImage } from "./page-images.ts";
export type { Pixels, Size } from "./pixels.ts";
export { type ImagePreset, type Preset, parsePreset } from "./preset.ts";
export type { ImageReader, OpenImage } from "./source.ts";
export { VISION_ERRORS, type VisionErrorCode } from "./vision-errors.ts";

const PAGE: Surroundings<PageImage> = { reader: PAGE_IMAGES, load, readPreset: fetchPreset };

/** Finds things in pictures of a page with a loaded model, which stays the caller's. */
export function detector(model: Model, options: DetectorOptions): ImageDetector<PageImage> {
  requireModel("detector()", model, options, { threshold: "number" });
  return new ImageDetector(model, options, PAGE_IMAGES);
}

/** Tells what pictures of a page show with a loaded model, which stays the caller's. */
export function classifier(model: Model, options: ClassifierOptions): ImageClassifier<PageImage> {
  requireModel("classifier()", model, options, {});
  return new ImageClassifier(model, options, PAGE_IMAGES);
}

/** Loads `X.pt2` and the `X.json` beside it. Disposing of the detector frees the model. */
export function loadDetector(
  source: ModelSource,
  options: LoadVisionOptions<DetectorOptions>,
): Promise<ImageDetector<PageImage>> {
  return loadWith(source, options, PAGE, ImageDetector<PageImage>);
}

/** Loads `X.pt2` and the `X.json` beside it. Disposing of the classifier frees the model. */
export function loadClassifier(
  source: ModelSource,
  options: LoadVisionOptions<ClassifierOptions>,
): Promise<ImageClassifier<PageImage>> {
  return loadWith(source, options, PAGE, ImageClassifier<PageImage>);
}
