import { el } from "../page/dom.ts";
import type { Camera, Size } from "./camera.ts";
import { BOX_HEIGHT } from "./layout.ts";
import type { Scene } from "./paint.ts";
import type { Palette } from "./palette.ts";
import type { Point } from "./point.ts";
import { longestTime, timeOf } from "./times.ts";

/** All of a drawing in a narrow strip, for those who cannot see it at once. Keys and the search do the same by other means. */
export interface Overview {
  readonly element: HTMLCanvasElement;
  /** Draws it with what is in sight marked. */
  paint(scene: Scene, screen: Size, colors: Palette): void;
}

/** Creates the overview strip; a press or a drag moves to the position under it. */
export function overview(onMove: (center: Point) => void): Overview {
  const element = el("canvas", { class: "overview", "aria-hidden": "true", hidden: true });
  let layout: Size = { width: 1, height: 1 };
  const move = (event: PointerEvent): void => {
    const { left, top, width, height } = element.getBoundingClientRect();
    onMove({
      x: ((event.clientX - left) / width) * layout.width,
      y: ((event.clientY - top) / height) * layout.height,
    });
  };
  element.addEventListener("pointerdown", (event) => {
    element.setPointerCapture(event.pointerId);
    move(event);
  });
  element.addEventListener("pointermove", (event) => {
    if (element.hasPointerCapture(event.pointerId)) move(event);
  });
  return {
    element,
    paint(scene, screen, colors) {
      layout = scene.layout;
      const [width, height] = [element.clientWidth, element.clientHeight].map((side) => side * devicePixelRatio);
      [element.width, element.height] = [width!, height!];
      const context = element.getContext("2d")!;
      context.scale(width! / scene.layout.width, height! / scene.layout.height);
      paintBoxes(context, scene, colors);
      paintSight(context, scene.camera, screen, colors.accent);
    },
  };
}

/** Every box in the color of its family, the slow ones hot. */
function paintBoxes(context: CanvasRenderingContext2D, { layout, times }: Scene, colors: Palette): void {
  const most = longestTime(layout.boxes.values(), times);
  const atLeast = layout.height / context.canvas.height;
  for (const { box, x, y, width } of layout.boxes.values()) {
    const corner = [x - width / 2, y - BOX_HEIGHT / 2, width, Math.max(BOX_HEIGHT, atLeast)] as const;
    context.globalAlpha = 1;
    context.fillStyle = colors.families.get(box.family)!.stroke;
    context.fillRect(...corner);
    context.globalAlpha = timeOf(box, times) / most;
    context.fillStyle = colors.accent;
    context.fillRect(...corner);
  }
  context.globalAlpha = 1;
}

function paintSight(context: CanvasRenderingContext2D, camera: Camera, screen: Size, color: string): void {
  const corner = [camera.x, camera.y, screen.width / camera.scale, screen.height / camera.scale] as const;
  context.fillStyle = color;
  context.globalAlpha = 0.2;
  context.fillRect(...corner);
  context.globalAlpha = 1;
  // A line at the edges is as thick in both directions on the screen, whatever the strip is stretched by.
  const [x, y, width, height] = corner;
  const thick = (3 * devicePixelRatio) / context.getTransform().d;
  context.fillRect(x, y, width, thick);
  context.fillRect(x, y + height - thick, width, thick);
}
