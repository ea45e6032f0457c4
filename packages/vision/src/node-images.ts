import { fileURLToPath } from "node:url";
import { opened } from "./page-images.ts";
import { isPixels, type Pixels } from "./pixels.ts";
import type { ImageReader } from "./source.ts";
import { kindOf, visionError } from "./vision-errors.ts";

/** What a `sharp` instance has: it decodes a picture, and turns it upright. */
export interface SharpLike {
  clone(): SharpLike;
  rotate(): SharpLike;
  toColourspace(space: string): SharpLike;
  raw(): SharpLike;
  toBuffer(options: { readonly resolveWithObject: true }): Promise<{
    readonly data: Uint8Array;
    readonly info: { readonly width: number; readonly height: number; readonly channels: number };
  }>;
}

/** A picture in Node: a file by path or `file:` URL, its bytes, a `sharp` instance, or raw pixels. */
export type NodeImage = string | URL | Uint8Array | ArrayBuffer | SharpLike | Pixels;

/** Reads pictures in Node. Files are decoded by `sharp`, which has to be installed for them. */
export const NODE_IMAGES: ImageReader<NodeImage> = {
  async open(image) {
    if (isPixels(image)) return opened(image);
    if (isSharp(image)) return opened(await decoded(() => image));
    // Before `sharp` is asked for, which what is not a picture does not need.
    const input = inputOf(image);
    const decode = await sharp();
    return opened(await decoded(() => decode(input)));
  },
};

/** `image` throws for no bytes, before anything is decoded. */
async function decoded(image: () => SharpLike): Promise<Pixels> {
  try {
    // `rotate` without an angle turns a photo as its EXIF orientation says.
    const { data, info } = await image()
      .clone()
      .rotate()
      .toColourspace("srgb")
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    if (channels === 2) return { width, height, channels: 1, data: data.filter((_, i) => i % 2 === 0) };
    return { data, width, height, channels: channels as 1 | 3 | 4 };
  } catch (cause) {
    throw visionError("vision.image", {
      what: `The picture cannot be decoded: ${cause instanceof Error ? cause.message : cause}`,
      advice: "check that the file is there, and is a JPEG, PNG, WebP or another picture that `sharp` reads",
      cause,
    });
  }
}

function inputOf(image: unknown): unknown {
  if (image instanceof URL) return pathOf(image);
  if (typeof image === "string" && /^(?:https?|file):\/\//i.test(image)) return pathOf(new URL(image));
  if (typeof image === "string" || image instanceof Uint8Array || image instanceof ArrayBuffer) return image;
  throw visionError("vision.image", {
    what: `This cannot be read as a picture: ${kindOf(image)}`,
    advice: "give a path, the bytes of a file, a `sharp` instance, or raw pixels { data, width, height }",
  });
}

function pathOf(address: URL): string {
  try {
    return fileURLToPath(address);
  } catch (cause) {
    throw visionError("vision.image", {
      what: `${address} is not the address of a file of this computer`,
      advice: "fetch it, and give the bytes: new Uint8Array(await (await fetch(address)).arrayBuffer())",
      cause,
    });
  }
}

function isSharp(image: unknown): image is SharpLike {
  const { rotate, raw, toBuffer } = (typeof image === "object" && image !== null ? image : {}) as Partial<SharpLike>;
  return [rotate, raw, toBuffer].every((method) => typeof method === "function");
}

async function sharp(): Promise<(input: unknown) => SharpLike> {
  try {
    return (await import("sharp")).default as unknown as (input: unknown) => SharpLike;
  } catch (cause) {
    throw visionError("vision.image", {
      what: "Files are decoded by the npm package `sharp`, which is not installed",
      advice: "npm install sharp; or decode the picture yourself, and give raw pixels { data, width, height }",
      cause,
    });
  }
}
