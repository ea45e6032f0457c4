import type { Camera, Size } from "./camera.ts";
import { BOX_HEIGHT, type Layout, type PlacedBox, type Route } from "./layout.ts";
import type { Palette } from "./palette.ts";
import { longestTime, type NodeTimes, timeOf } from "./times.ts";

/** Fonts of the two lines in a box. */
export const TITLE_FONT = "600 12px system-ui, sans-serif";
export const DETAIL_FONT = "11px system-ui, sans-serif";

/** Below this scale boxes have no text. */
const TEXT_SCALE = 0.32;
const RADIUS = 8;

/** What is drawn, and how it is seen. */
export interface Scene {
  readonly layout: Layout;
  readonly camera: Camera;
  readonly selected: string | null;
  readonly times: NodeTimes;
}

/** Draws what is in sight. `screen` is in CSS pixels. */
export function paint(context: CanvasRenderingContext2D, screen: Size, scene: Scene, colors: Palette): void {
  const { layout, camera, selected, times } = scene;
  const density = devicePixelRatio * camera.scale;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, context.canvas.width, context.canvas.height);
  context.setTransform(density, 0, 0, density, -camera.x * density, -camera.y * density);
  const [top, bottom] = [camera.y, camera.y + screen.height / camera.scale];
  const [left, right] = [camera.x, camera.x + screen.width / camera.scale];

  context.lineWidth = Math.max(1.2, 0.7 / camera.scale);
  for (const emphasized of [false, true]) {
    context.strokeStyle = emphasized ? colors.accent : colors.line;
    context.fillStyle = context.strokeStyle;
    context.beginPath();
    for (const route of layout.routes) {
      const { points } = route;
      if ((route.from === selected || route.to === selected) !== emphasized) continue;
      if (points[0]!.y <= bottom && points.at(-1)!.y >= top) trace(context, route);
    }
    context.stroke();
  }
  const withText = camera.scale >= TEXT_SCALE;
  const most = longestTime(layout.boxes.values(), times);
  for (const placed of layout.boxes.values()) {
    const { x, y, width } = placed;
    const outside = y + BOX_HEIGHT < top || y - BOX_HEIGHT > bottom || x + width < left || x - width > right;
    if (outside) continue;
    paintBox(context, placed, colors, { withText, isSelected: placed.box.id === selected });
    paintTime(context, placed, timeOf(placed.box, times) / most, colors);
  }
}

/** From the bottom of the first box to the top of the last, straight down where it passes a row, with a tip. */
function trace(context: CanvasRenderingContext2D, { points }: Route): void {
  const half = BOX_HEIGHT / 2;
  const last = points.length - 1;
  context.moveTo(points[0]!.x, points[0]!.y + half);
  points.slice(1).forEach(({ x, y }, i) => {
    const from = points[i]!;
    const middle = (from.y + y) / 2;
    context.bezierCurveTo(from.x, middle, x, middle, x, y - half);
    if (i + 1 < last) context.lineTo(x, y + half);
  });
  const { x, y } = points[last]!;
  context.moveTo(x - 4, y - half - 6);
  context.lineTo(x, y - half);
  context.lineTo(x + 4, y - half - 6);
}

function paintBox(
  context: CanvasRenderingContext2D,
  { box, x, y, width }: PlacedBox,
  colors: Palette,
  { withText, isSelected }: { readonly withText: boolean; readonly isSelected: boolean },
): void {
  const { fill, stroke } = colors.families.get(box.family)!;
  const outline = (inset: number): void => {
    context.beginPath();
    context.roundRect(
      x - width / 2 + inset,
      y - BOX_HEIGHT / 2 + inset,
      width - 2 * inset,
      BOX_HEIGHT - 2 * inset,
      RADIUS,
    );
  };
  if (box.group !== null) {
    // A sheet below shows that there is more in it.
    context.beginPath();
    context.roundRect(x - width / 2 + 4, y - BOX_HEIGHT / 2 + 4, width, BOX_HEIGHT, RADIUS);
    context.fillStyle = fill;
    context.strokeStyle = stroke;
    context.lineWidth = 1;
    context.fill();
    context.stroke();
  }
  outline(0);
  context.fillStyle = fill;
  context.fill();
  context.strokeStyle = isSelected ? colors.accent : stroke;
  context.lineWidth = isSelected ? 3 : 1.2;
  context.stroke();
  if (!withText) return;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillStyle = colors.text;
  context.font = TITLE_FONT;
  context.fillText(box.title, x, box.detail === "" ? y : y - 8);
  context.fillStyle = colors.faint;
  context.font = DETAIL_FONT;
  if (box.detail !== "") context.fillText(box.detail, x, y + 9);
}

/** A bar along the lower edge: how long it took, as a part of the slowest box. */
function paintTime(
  context: CanvasRenderingContext2D,
  { x, y, width }: PlacedBox,
  share: number,
  { accent }: Palette,
): void {
  if (share === 0) return;
  const full = width - 2 * RADIUS;
  context.fillStyle = accent;
  context.fillRect(x - full / 2, y + BOX_HEIGHT / 2 - 4, Math.max(full * share, 1), 3);
}
