import type { Point } from "./layout.ts";

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
  return centred(drawing, screen, Math.max(scale, LEAST));
}

/** Shows the beginning of the drawing as large as it can be read, all of it if it fits. */
export function fitStart(drawing: Size, screen: Size, start: Point): Camera {
  const whole = fitAll(drawing, screen);
  if (whole.scale >= READABLE) return whole;
  const scale = Math.max(Math.min(screen.width / drawing.width, 1), READABLE);
  const rest = drawing.width - screen.width / scale;
  // Around the beginning, but no emptier than it has to be.
  const x = rest <= 0 ? rest / 2 : Math.min(Math.max(start.x - screen.width / 2 / scale, 0), rest);
  return { scale, x, y: 0 };
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

function centred(drawing: Size, screen: Size, scale: number): Camera {
  return { scale, x: (drawing.width - screen.width / scale) / 2, y: (drawing.height - screen.height / scale) / 2 };
}
