import { annotate, type Found } from "@pt2/vision";
import { element } from "./element.ts";
import { contain, type Size } from "./placement.ts";

const stage = element("stage");
const picture = element<HTMLCanvasElement>("picture");
const boxes = element<HTMLCanvasElement>("boxes");
/** The video that the camera plays in. */
export const video: HTMLVideoElement = element("video");

let shown: { readonly size: Size; readonly things: readonly Found[] } | null = null;

/** Shows a picture, without boxes. */
export function showPicture(bitmap: ImageBitmap): void {
  video.hidden = true;
  picture.hidden = false;
  picture.width = bitmap.width;
  picture.height = bitmap.height;
  picture.getContext("2d")!.drawImage(bitmap, 0, 0);
  drawBoxes(bitmap, []);
}

/** Shows the camera, without boxes. */
export function showVideo(): void {
  picture.hidden = true;
  video.hidden = false;
  drawBoxes({ width: 4, height: 3 }, []);
}

/** Draws boxes over what is shown, which is `size` pixels large; those that were drawn before go. */
export function drawBoxes({ width, height }: Size, things: readonly Found[]): void {
  shown = { size: { width, height }, things };
  redraw();
}

/** The canvas has the pixels of the screen, so lines and words are sharp however small a picture is. */
function redraw(): void {
  if (shown === null) return;
  const view = { width: stage.clientWidth * devicePixelRatio, height: stage.clientHeight * devicePixelRatio };
  boxes.width = Math.round(view.width);
  boxes.height = Math.round(view.height);
  const context = boxes.getContext("2d")!;
  const { left, top, scale } = contain(shown.size, view);
  context.translate(left, top);
  // Words are smaller where the stage is.
  const fontSize = Math.min(14, Math.max(10, stage.clientWidth / 50)) * devicePixelRatio;
  annotate(context, shown.things, { scale, size: shown.size, lineWidth: 2 * devicePixelRatio, fontSize });
}

new ResizeObserver(redraw).observe(stage);
