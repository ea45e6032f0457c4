import { SIDE } from "./strokes.ts";

/** Draws the gray pixels that the network gets, bright on dark as it knows them. */
export function drawPixels(canvas: HTMLCanvasElement, pixels: Float32Array): void {
  canvas.width = canvas.height = SIDE;
  const context = canvas.getContext("2d")!;
  const image = context.createImageData(SIDE, SIDE);
  pixels.forEach((gray, i) => {
    image.data.fill(Math.round(255 * gray), 4 * i, 4 * i + 3);
    image.data[4 * i + 3] = 255;
  });
  context.putImageData(image, 0, 0);
}
