import type { Point } from "./point.ts";

/** The actions of pointers and wheels. Positions are in pixels from the top left corner of the element. */
export interface PointerEvents {
  /** Returns whether there was anywhere to move to: at the end of the drawing the page scrolls instead. */
  readonly onPan: (dx: number, dy: number) => boolean;
  readonly onZoom: (factor: number, at: Point) => void;
  readonly onPress: (at: Point) => void;
  readonly onDoublePress: (at: Point) => void;
}

/** Pixels that a finger may tremble in a press. */
const TREMBLE = 5;

/** Drag to move, two fingers or Ctrl and the wheel to zoom, the wheel to move, press to choose. */
export function followPointers(element: HTMLElement, { onPan, onZoom, onPress, onDoublePress }: PointerEvents): void {
  const down = new Map<number, Point>();
  let moved = 0;
  const place = ({ clientX, clientY }: MouseEvent): Point => {
    const { left, top } = element.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };

  element.addEventListener("pointerdown", (event) => {
    element.setPointerCapture(event.pointerId);
    if (down.size === 0) moved = 0;
    down.set(event.pointerId, place(event));
  });
  element.addEventListener("pointermove", (event) => {
    const before = down.get(event.pointerId);
    if (before === undefined) return;
    const now = place(event);
    const other = [...down].find(([id]) => id !== event.pointerId)?.[1];
    down.set(event.pointerId, now);
    moved += distance(before, now);
    if (moved <= TREMBLE) return;
    if (other === undefined) onPan(now.x - before.x, now.y - before.y);
    else {
      // Each finger carries half of the drawing.
      onPan((now.x - before.x) / 2, (now.y - before.y) / 2);
      const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 };
      onZoom(distance(now, other) / Math.max(distance(before, other), 1), middle);
    }
  });
  for (const kind of ["pointerup", "pointercancel"] as const) {
    element.addEventListener(kind, (event) => {
      if (!down.delete(event.pointerId)) return;
      if (kind === "pointerup" && down.size === 0 && moved <= TREMBLE) onPress(place(event));
    });
  }
  element.addEventListener("dblclick", (event) => onDoublePress(place(event)));
  element.addEventListener(
    "wheel",
    (event) => {
      // A pinch on a touchpad arrives as a wheel with Ctrl.
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      if (event.ctrlKey || event.metaKey) {
        onZoom(Math.exp((-event.deltaY * lines) / (Math.abs(event.deltaY) > 50 ? 400 : 100)), place(event));
        event.preventDefault();
      } else if (onPan(-event.deltaX * lines, -event.deltaY * lines)) event.preventDefault();
    },
    { passive: false },
  );
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}
