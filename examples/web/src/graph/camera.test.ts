import { expect, it } from "vitest";
import { type Camera, centerOn, fitAll, fitStart, pan, reveal, zoom } from "./camera.ts";

const SCREEN = { width: 800, height: 600 };
const TALL = { width: 400, height: 60_000 };

it("the camera zooms around the pointer", () => {
  const before: Camera = { x: 10, y: 20, scale: 1 };
  const after = zoom(before, 2, { x: 100, y: 50 });
  const under = ({ x, y, scale }: Camera) => [x + 100 / scale, y + 50 / scale];
  expect(under(after)).toEqual(under(before));
  expect(zoom(before, 1e9, { x: 0, y: 0 }).scale).toBe(4);
});

it("the camera shows a small drawing whole, and the top of a tall one at a readable size", () => {
  expect(fitStart({ width: 400, height: 300 }, SCREEN, { left: 0, right: 400, x: 200 })).toEqual({
    x: -200,
    y: -150,
    scale: 1,
  });
  expect(fitStart(TALL, SCREEN, { left: 0, right: 400, x: 200 })).toEqual({ x: -200, y: 0, scale: 1 });
  expect(fitAll(TALL, SCREEN).scale).toBeLessThan(0.03);
});

it("the camera starts at the top of the drawing, with as many of its first rows as fit", () => {
  const wide = { width: 5000, height: 60_000 };
  expect(fitStart(wide, SCREEN, { left: 3000, right: 3600, x: 3050 })).toEqual({ x: 2900, y: 0, scale: 1 });
  const { x, scale } = fitStart(wide, SCREEN, { left: 1000, right: 4000, x: 1040 });
  expect(x).toBe(1000);
  expect(x + SCREEN.width / scale).toBeLessThan(4000);
});

it("the camera centers on a point, except at the edges", () => {
  const camera = { x: 0, y: 0, scale: 2 };
  expect(centerOn(camera, { x: 200, y: 30_000 }, TALL, SCREEN)).toEqual({ x: 0, y: 29_850, scale: 2 });
  expect(centerOn(camera, { x: 200, y: 1e9 }, TALL, SCREEN).y).toBe(TALL.height - 40);
});

it("the camera never moves the drawing out of sight", () => {
  const camera = { x: 0, y: 0, scale: 1 };
  expect(pan(camera, 0, 1e9, TALL, SCREEN).y).toBe(80 - SCREEN.height);
  expect(pan(camera, 0, -1e9, TALL, SCREEN).y).toBe(TALL.height - 80);
  expect(pan(camera, 0, -50, TALL, SCREEN).y).toBe(50);
});

it("the camera moves just enough to reveal a point", () => {
  const camera = { x: 0, y: 0, scale: 1 };
  expect(reveal(camera, { x: 400, y: 300 }, SCREEN)).toEqual(camera);
  expect(reveal(camera, { x: 400, y: 1000 }, SCREEN)).toEqual({ x: 0, y: 480, scale: 1 });
});
