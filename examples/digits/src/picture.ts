import { readdir, readFile } from "node:fs/promises";
import { decode } from "fast-png";

/** A side of the images that the network takes. */
export const SIDE = 8;

/** A handwritten digit from a PNG file, its true value in the file's name. */
export interface Picture {
  readonly name: string;
  readonly label: number;
  /** Gray from 0 (ink-free) to 1, row by row, 8 × 8. */
  readonly pixels: Float32Array;
}

/** Reads every `NN_LABEL.png` of a folder, in the order of their numbers. */
export async function readPictures(folder: URL): Promise<readonly Picture[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".png")).sort();
  return Promise.all(
    names.map(async (name) => {
      const pixels = toPixels(await readFile(new URL(name, folder)), name);
      return { name, label: Number(/_(\d)\.png$/.exec(name)?.[1]), pixels };
    }),
  );
}

/** Averages the squares of pixels of an 8-bit gray PNG file that stand for one pixel of the original. */
function toPixels(png: Uint8Array, name: string): Float32Array {
  const { width, height, channels, depth, data } = decode(png);
  if (channels !== 1 || depth !== 8 || width !== height || width % SIDE !== 0) {
    throw new Error(`${name}: ${width} × ${height}, ${channels} channels of ${depth} bits; expected a gray square`);
  }
  const square = width / SIDE;
  const pixels = new Float32Array(SIDE * SIDE);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = Math.floor(y / square) * SIDE + Math.floor(x / square);
      pixels[at]! += data[y * width + x]! / (255 * square * square);
    }
  }
  return pixels;
}
