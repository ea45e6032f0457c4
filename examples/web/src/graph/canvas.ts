import { el } from "../page/dom.ts";
import { onThemeChange } from "../page/theme.ts";
import type { GraphBox } from "./boxes.ts";
import { type Camera, centerOn, fitAll, fitStart, fits, pan, reveal, type Size, zoom } from "./camera.ts";
import { BOX_HEIGHT, beginningOf, type Layout, type PlacedBox } from "./layout.ts";
import { overview } from "./overview.ts";
import { DETAIL_FONT, paint, TITLE_FONT } from "./paint.ts";
import { palette } from "./palette.ts";
import type { Point } from "./point.ts";
import { followPointers } from "./pointers.ts";
import type { NodeTimes } from "./times.ts";

/** A canvas that shows a layout, which can be moved and enlarged. */
export interface GraphCanvas {
  readonly element: HTMLCanvasElement;
  /** A strip with all of the layout, to be put at the right side of it; hidden where it is seen at once. */
  readonly overview: HTMLElement;
  /** Shows another layout: from its beginning, or with a box where another one was. */
  show(layout: Layout, anchor?: Anchor): void;
  select(id: string | null): void;
  /** Shows in every box how long it took. */
  showTimes(times: NodeTimes): void;
  zoomBy(factor: number): void;
  fit(): void;
  dispose(): void;
}

/** A box of the next layout takes the place of a box of this one. */
export interface Anchor {
  readonly from: string;
  readonly to: string;
}

/** What happens on the canvas. */
export interface CanvasEvents {
  readonly onSelect: (box: PlacedBox | null) => void;
  readonly onOpen: (box: PlacedBox) => void;
}

const NOTHING: Layout = { width: 0, height: 0, boxes: new Map(), routes: [] };

/** Makes the canvas. Drawing waits for the next frame, however much changes before. */
export function graphCanvas({ onSelect, onOpen }: CanvasEvents): GraphCanvas {
  const element = el("canvas", { class: "graph-canvas", tabindex: 0, role: "application" });
  const context = element.getContext("2d")!;
  let layout = NOTHING;
  let camera: Camera = { x: 0, y: 0, scale: 1 };
  let selected: string | null = null;
  let times: NodeTimes = new Map();
  let untouched = true;
  let isDue = false;
  let colors = palette();

  const screen = (): Size => ({ width: element.clientWidth, height: element.clientHeight });
  const redraw = (): void => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      // Not on the page yet, or on a tab that is not shown: the observer draws as soon as it has a size.
      if (element.clientHeight === 0) return;
      const scene = { layout, camera, selected, times };
      paint(context, screen(), scene, colors);
      strip.element.hidden = fits(layout, screen());
      if (!strip.element.hidden) strip.paint(scene, screen(), colors);
    });
  };
  const look = (next: Camera): void => {
    camera = next;
    untouched = false;
    redraw();
  };
  const home = (): void => {
    camera = fitStart(layout, screen(), beginningOf(layout, screen().height));
    redraw();
  };
  const strip = overview((center) => look(centerOn(camera, center, layout, screen())));
  const boxAt = ({ x, y }: Point): PlacedBox | null => {
    const [px, py] = [camera.x + x / camera.scale, camera.y + y / camera.scale];
    const hit = (box: PlacedBox): boolean =>
      Math.abs(px - box.x) <= box.width / 2 && Math.abs(py - box.y) <= BOX_HEIGHT / 2;
    return [...layout.boxes.values()].find(hit) ?? null;
  };

  followPointers(element, {
    onPan: (dx, dy) => {
      const before = camera;
      look(pan(camera, dx, dy, layout, screen()));
      return before.x !== camera.x || before.y !== camera.y;
    },
    onZoom: (factor, at) => look(zoom(camera, factor, at)),
    onPress: (at) => onSelect(boxAt(at)),
    onDoublePress: (at) => {
      const box = boxAt(at);
      if (box !== null) onOpen(box);
    },
  });
  new ResizeObserver(() => {
    const { width, height } = screen();
    [element.width, element.height] = [Math.round(width * devicePixelRatio), Math.round(height * devicePixelRatio)];
    if (untouched) home();
    redraw();
  }).observe(element);
  const ignoreTheme = onThemeChange(() => {
    colors = palette();
    redraw();
  });

  return {
    element,
    overview: strip.element,
    show(next, anchor) {
      const [old, now] = [layout.boxes.get(anchor?.from ?? ""), next.boxes.get(anchor?.to ?? "")];
      layout = next;
      if (old !== undefined && now !== undefined)
        look({ ...camera, x: camera.x + now.x - old.x, y: camera.y + now.y - old.y });
      else {
        untouched = true;
        home();
      }
    },
    select(id) {
      selected = id;
      const box = id === null ? undefined : layout.boxes.get(id);
      if (box !== undefined) look(reveal(camera, box, screen()));
      redraw();
    },
    showTimes(next) {
      times = next;
      redraw();
    },
    zoomBy: (factor) => look(zoom(camera, factor, { x: element.clientWidth / 2, y: element.clientHeight / 2 })),
    fit: () => look(fitAll(layout, screen())),
    dispose: ignoreTheme,
  };
}

/** Width of a box for its text. */
export function widthOf({ title, detail }: GraphBox): number {
  measuring.font = TITLE_FONT;
  const titleWidth = measuring.measureText(title).width;
  measuring.font = DETAIL_FONT;
  return Math.ceil(Math.max(titleWidth, measuring.measureText(detail).width, 36)) + 24;
}

const measuring = document.createElement("canvas").getContext("2d")!;
