import type { Backend } from "@pt2/backend";
import type { Tensor } from "@pt2/runtime";
import type { Pixels, Size } from "./pixels.ts";

/** How pictures of any kind are read where the program runs. */
export interface ImageReader<Image> {
  /** Decodes a picture, and returns what has its pixels. */
  open(image: Image): Promise<OpenImage>;
}

/** A picture whose size is known. */
export interface OpenImage {
  readonly size: Size;
  /** What a GPU can copy without the processor, if it is that. */
  readonly external?: unknown;
  pixels(): Promise<Pixels>;
  /** Frees what was decoded. */
  close(): void;
}

/** What a backend with a GPU has: pictures become tensors [1, 3, height, width] of values between 0 and 1 there. */
export interface ExternalImages {
  image(source: unknown, size: Size): Promise<Tensor>;
}

/** Returns whether a backend makes tensors of what a page shows. */
export function takesImages(backend: Backend): backend is Backend & ExternalImages {
  return "image" in backend && typeof backend.image === "function";
}
