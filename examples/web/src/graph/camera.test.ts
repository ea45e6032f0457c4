import { expect, it } from "vitest";
import { type Camera, fitAll, fitStart, pan, reveal, zoom } from "./camera.ts";

const SCREEN = { width: 800, height: 600 };
const TALL = { width: 400, height: 60_000 };

it("zooms around the pointer", () => {
  const before: Camera = { x: 10, y: 20, scale: 1 };
  const after = zoom(before, 2, { x: 100, y: 50 });
  const under = ({ x, y, scale }: Camera) => [x + 100 / scale, y + 50 / scale];
  expect(under(after)).toEqual(under(before));
  expect(zoom(before, 1e9, { x: 0, y: 0 }).scale).toBe(4);
});

it("shows a small drawing whole, and the top of a tall one as large as it reads", () => {
  expect(fitStart({ width: 400, height: 300 }, SCREEN, { x: 0, y: 0 })).toEqual({ x: -200, y: -150, scale: 1 });
  expect(fitStart(TALL, SCREEN, { x: 200, y: 0 })).toEqual({ x: -200, y: 0, scale: 1 });
  expect(fitAll(TALL, SCREEN).scale).toBeLessThan(0.03);
});

it("never moves the drawing out of sight", () => {
  const camera = { x: 0, y: 0, scale: 1 };
  expect(pan(camera, 0, 1e9, TALL, SCREEN).y).toBe(80 - SCREEN.height);
  expect(pan(camera, 0, -1e9, TALL, SCREEN).y).toBe(TALL.height - 80);
  expect(pan(camera, 0, -50, TALL, SCREEN).y).toBe(50);
});

it("moves no more than it takes to reveal a place", () => {
  const camera = { x: 0, y: 0, scale: 1 };
  expect(reveal(camera, { x: 400, y: 300 }, SCREEN)).toEqual(camera);
  expect(reveal(camera, { x: 400, y: 1000 }, SCREEN)).toEqual({ x: 0, y: 480, scale: 1 });
});
