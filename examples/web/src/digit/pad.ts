import { color, onThemeChange } from "../page/theme.ts";
import type { Point, Stroke } from "./strokes.ts";

/** How far an arrow key moves the pen, as a part of the pad. */
const STEP = 1 / 24;
/** Width of the pen, as a part of the pad. */
const PEN = 0.07;

/** A surface to draw on: with a mouse, a finger, a pen, or the arrow keys and Space. */
export interface Pad {
  readonly strokes: readonly Stroke[];
  clear(): void;
  /** Takes the last stroke back. */
  undo(): void;
}

/** Makes a canvas a pad. `onChange` is called whenever the drawing has changed. */
export function padOn(canvas: HTMLCanvasElement, onChange: () => void): Pad {
  canvas.setAttribute("role", "application");
  let strokes: Point[][] = [];
  /** Where the keyboard's pen is; it shows while the pad has the focus. */
  let pen: Point = { x: 0.5, y: 0.2 };
  let penIsDown = false;
  let byKeyboard = false;

  const changed = (): void => {
    redraw();
    onChange();
  };
  const replace = (next: Point[][]): void => {
    strokes = next;
    penIsDown = false;
    changed();
  };
  const extend = (point: Point): void => {
    strokes.at(-1)!.push(point);
    changed();
  };
  const begin = (point: Point): void => {
    strokes.push([point]);
    changed();
  };

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    byKeyboard = penIsDown = false;
    begin(pointOf(canvas, event));
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!canvas.hasPointerCapture(event.pointerId)) return;
    const passed = event.getCoalescedEvents?.() ?? [];
    for (const each of passed.length > 0 ? passed : [event]) strokes.at(-1)!.push(pointOf(canvas, each));
    changed();
  });

  canvas.addEventListener("keydown", (event) => {
    const [dx, dy] = ARROWS[event.key] ?? [0, 0];
    if (dx !== 0 || dy !== 0) {
      byKeyboard = true;
      pen = { x: within(pen.x + dx * STEP), y: within(pen.y + dy * STEP) };
      if (penIsDown) extend(pen);
      else redraw();
    } else if (event.key === " ") {
      byKeyboard = true;
      penIsDown = !penIsDown;
      if (penIsDown) begin(pen);
      else redraw();
    } else if (event.key === "Backspace" || event.key === "Delete") replace(strokes.slice(0, -1));
    else if (event.key === "Escape") replace([]);
    else return;
    event.preventDefault();
  });
  for (const kind of ["focus", "blur"]) canvas.addEventListener(kind, () => redraw());

  const redraw = (): void => {
    const side = Math.round(canvas.clientWidth * devicePixelRatio) || canvas.width;
    if (canvas.width !== side) canvas.width = canvas.height = side;
    const context = canvas.getContext("2d")!;
    context.clearRect(0, 0, side, side);
    context.strokeStyle = color("--ink");
    context.lineCap = context.lineJoin = "round";
    context.lineWidth = PEN * side;
    for (const stroke of strokes) {
      context.beginPath();
      for (const { x, y } of [stroke[0]!, ...stroke]) context.lineTo(x * side, y * side);
      context.stroke();
    }
    if (!byKeyboard || document.activeElement !== canvas) return;
    context.beginPath();
    context.arc(pen.x * side, pen.y * side, (PEN / 2) * side, 0, 2 * Math.PI);
    context.lineWidth = 2 * devicePixelRatio;
    context.strokeStyle = context.fillStyle = color("--accent");
    if (penIsDown) context.fill();
    else context.stroke();
  };
  new ResizeObserver(redraw).observe(canvas);
  onThemeChange(redraw);

  return {
    get strokes() {
      return strokes;
    },
    clear: () => replace([]),
    undo: () => replace(strokes.slice(0, -1)),
  };
}

const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

function pointOf(canvas: HTMLCanvasElement, { clientX, clientY }: PointerEvent): Point {
  const { left, top, width, height } = canvas.getBoundingClientRect();
  return { x: within((clientX - left) / width), y: within((clientY - top) / height) };
}

function within(position: number): number {
  return Math.min(Math.max(position, 0), 1);
}
