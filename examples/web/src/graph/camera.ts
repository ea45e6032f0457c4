import type { Point } from "./point.ts";

/** Which part of a drawing is seen: a point of the drawing in the top left corner, and how large it appears. */
export interface Camera extends Point {
  readonly scale: number;
}

/** Width and height. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

const LEAST = 0.02;
const MOST = 4;
/** How much of the drawing stays in sight, in pixels of the screen. */
const REST = 80;

/** Zooms by a factor so that what is at `fixed`, in pixels of the screen, stays there. */
export function zoom(camera: Camera, factor: number, fixed: Point): Camera {
  const scale = Math.min(Math.max(camera.scale * factor, LEAST), MOST);
  return {
    scale,
    x: camera.x + fixed.x / camera.scale - fixed.x / scale,
    y: camera.y + fixed.y / camera.scale - fixed.y / scale,
  };
}

/** Moves the drawing by pixels of the screen, never out of sight. */
export function pan(camera: Camera, dx: number, dy: number, drawing: Size, screen: Size): Camera {
  const along = (at: number, by: number, extent: number, seen: number): number => {
    const [rest, view] = [REST / camera.scale, seen / camera.scale];
    return Math.min(Math.max(at - by / camera.scale, rest - view), extent - rest);
  };
  return {
    scale: camera.scale,
    x: along(camera.x, dx, drawing.width, screen.width),
    y: along(camera.y, dy, drawing.height, screen.height),
  };
}

/** Shows all of the drawing. */
export function fitAll(drawing: Size, screen: Size): Camera {
  const scale = Math.min(screen.width / drawing.width, screen.height / drawing.height, 1);
  return centered(drawing, screen, Math.max(scale, LEAST));
}

/** Whether the drawing can be read and seen at once. */
export function fits(drawing: Size, screen: Size): boolean {
  return fitAll(drawing, screen).scale >= READABLE;
}

/** The part of a drawing that comes first: from where to where it reaches, and what in it comes first of all. */
export interface Beginning {
  readonly left: number;
  readonly right: number;
  readonly x: number;
}

/** Shows the beginning of the drawing as large as it can be read, all of it if it fits. */
export function fitStart(drawing: Size, screen: Size, { left, right, x: first }: Beginning): Camera {
  if (fits(drawing, screen)) return fitAll(drawing, screen);
  const scale = Math.max(Math.min(screen.width / (right - left), 1), READABLE);
  const rest = right - left - screen.width / scale;
  // Around the first of all, but no emptier than it has to be.
  const x = rest <= 0 ? rest / 2 : Math.min(Math.max(first - screen.width / 2 / scale - left, 0), rest);
  return { scale, x: left + x, y: 0 };
}

/** Has a place in the middle, as far as the drawing reaches. */
export function centerOn({ scale }: Camera, { x, y }: Point, drawing: Size, screen: Size): Camera {
  const camera = { scale, x: x - screen.width / 2 / scale, y: y - screen.height / 2 / scale };
  return pan(camera, 0, 0, drawing, screen);
}

/** Moves no more than it takes to have a place well in sight. */
export function reveal(camera: Camera, place: Point, screen: Size): Camera {
  const along = (at: number, wanted: number, seen: number): number => {
    const [view, border] = [seen / camera.scale, Math.min(REST, seen / 4) / camera.scale];
    return wanted < at + border ? wanted - border : wanted > at + view - border ? wanted - view + border : at;
  };
  return { ...camera, x: along(camera.x, place.x, screen.width), y: along(camera.y, place.y, screen.height) };
}

/** Text is readable from this scale. */
const READABLE = 0.85;

function centered(drawing: Size, screen: Size, scale: number): Camera {
  return { scale, x: (drawing.width - screen.width / scale) / 2, y: (drawing.height - screen.height / scale) / 2 };
}
