import { requireArgument, requireOptions } from "@pt2/format/options";
import { ANNOTATE_OPTIONS, type AnnotateOptions, draw } from "./drawing.ts";
import type { Found } from "./found.ts";
import type { Size } from "./pixels.ts";
import type { Rectangle } from "./rectangle.ts";
import { requireFound } from "./requirements.ts";

/** What is drawn on: the context of a canvas, in a page, a worker or Node. */
export type AnnotateContext = Pick<
  CanvasRenderingContext2D,
  | "arc"
  | "beginPath"
  | "fill"
  | "fillRect"
  | "fillStyle"
  | "fillText"
  | "font"
  | "getTransform"
  | "globalAlpha"
  | "lineJoin"
  | "lineWidth"
  | "measureText"
  | "rect"
  | "restore"
  | "save"
  | "stroke"
  | "strokeRect"
  | "strokeStyle"
  | "textAlign"
  | "textBaseline"
> & { readonly canvas: Size };

/** Lines have a dark seam, so that they are seen on pixels of their own color. */
export const SEAM: { readonly color: string; readonly width: number } = { color: "rgba(0, 0, 0, 0.55)", width: 2 };

/**
 * Draws what was found over a picture: masks, boxes, keypoints, and captions above all, which stay inside of the picture;
 * the surest on top. The canvas has the picture already, or lies over it.
 */
export function annotate(
  context: AnnotateContext,
  found: readonly Found[],
  given: AnnotateOptions & {
    /** The size of the picture, in its own pixels. @default what the canvas shows of it */
    readonly size?: Size;
  } = {},
): void {
  requireArgument("annotate()", "context", context, "{ save, measureText }", "vision.options");
  requireFound("annotate()", found);
  requireOptions("annotate()", given, { ...ANNOTATE_OPTIONS, size: "object" }, "vision.options");
  const { size, ...options } = given;
  const font = (fontSize: number): string => `${fontSize}px system-ui, sans-serif`;
  context.save();
  const { lineWidth, fontSize, things } = draw(found, size ?? shown(context, options.scale), options, (words, size) => {
    context.font = font(size);
    return context.measureText(words).width;
  });
  context.font = font(fontSize);
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
  context.lineJoin = "miter";
  for (const { mask, color } of things) fillMask(context, mask, color);
  for (const { box, points, color } of things) {
    for (const [style, seam] of [
      [SEAM.color, SEAM.width],
      [color, 0],
    ] as const) {
      context.strokeStyle = style;
      context.lineWidth = lineWidth + seam;
      context.strokeRect(box.x, box.y, box.width, box.height);
    }
    for (const { x, y } of points) {
      context.beginPath();
      context.arc(x, y, lineWidth * 2, 0, 2 * Math.PI);
      context.fillStyle = color;
      context.strokeStyle = SEAM.color;
      context.lineWidth = SEAM.width;
      context.stroke();
      context.fill();
    }
  }
  for (const { caption } of things) {
    if (caption === null) continue;
    context.fillStyle = caption.ground;
    context.fillRect(caption.x, caption.y, caption.width, caption.height);
    context.fillStyle = caption.ink;
    context.fillText(caption.words, caption.textX, caption.textY);
  }
  context.restore();
}

/** One path, so that rectangles that touch have no seams. */
function fillMask(context: AnnotateContext, mask: readonly Rectangle[], color: string): void {
  context.fillStyle = color;
  context.globalAlpha = 0.4;
  context.beginPath();
  for (const { x, y, width, height } of mask) context.rect(x, y, width, height);
  context.fill();
  context.globalAlpha = 1;
}

/** How much of a picture a canvas shows, from the origin of its transform on; a turned one is not followed. */
function shown(context: AnnotateContext, scale = 1): Size {
  const { a, d, e, f } = context.getTransform();
  const { width, height } = context.canvas;
  if (!(a > 0 && d > 0)) return { width: width / scale, height: height / scale };
  return { width: (width - e) / a / scale, height: (height - f) / d / scale };
}
