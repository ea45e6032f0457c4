import sharp from "sharp";
import { expect, it } from "vitest";
import { annotateSvg } from "./annotate-svg.ts";
import { captionColors, colorOf } from "./colors.ts";
import { type AnnotateOptions, draw } from "./drawing.ts";
import type { Found } from "./found.ts";
import type { Box } from "./geometry.ts";
import { textWidth } from "./text-width.ts";

const PICTURE = { width: 320, height: 240 };
const thing = (box: Box, label = "thing", more: Partial<Found> = {}): Found => ({
  ...{ box, label, score: 0.9, index: 1 },
  ...more,
});
const drawn = (found: readonly Found[], options: AnnotateOptions = {}) =>
  draw(found, PICTURE, options, (words, size) => textWidth(words) * size).things;

it("captions are above their boxes, at the top of the picture over a part of them or below, and in boxes that leave no space", () => {
  const captionOf = (box: Box, fontSize = 20) => drawn([thing(box)], { lineWidth: 2, fontSize })[0]!.caption!;
  expect(captionOf([50, 100, 90, 150])).toMatchObject({ x: 49, y: 100 - 1 - 28, height: 28, words: "thing 90 %" });
  expect(captionOf([50, 10, 90, 60])).toMatchObject({ x: 49, y: 61 });
  expect(captionOf([50, 20, 90, 60])).toMatchObject({ x: 49, y: 0 });
  expect(captionOf([0, 60, 320, 160], 90)).toMatchObject({ x: 0, y: 60 });
  const atTheRight = captionOf([300, 100, 320, 150]);
  expect(atTheRight.x + atTheRight.width).toBe(320);
});

it("no caption leaves the picture, whatever its box and its words are", () => {
  const sides = [-1e12, -5, 0, 0.25, 7, 119, 239.9, 240, 320, 400, 1e12];
  const boxes = sides.flatMap((x1) => sides.flatMap((y1) => sides.map((d): Box => [x1, y1, x1 + d, y1 + d])));
  for (const label of ["1", "a label that is longer than the picture is wide, by far"]) {
    for (const scale of [0.5, 3]) {
      const things = drawn(
        boxes.map((box) => thing(box, label)),
        { scale },
      );
      expect(things.length).toBeGreaterThan(100);
      for (const { box, caption } of things) {
        for (const { x, y, width, height } of [box, caption!]) {
          expect(Math.min(x, y, width, height)).toBeGreaterThanOrEqual(0);
          expect(x + width).toBeLessThanOrEqual(320 * scale + 1e-9);
          expect(y + height).toBeLessThanOrEqual(240 * scale + 1e-9);
        }
        expect(caption!.words).toMatch(/%$|…$/);
      }
    }
  }
});

it("nothing is drawn of boxes outside the picture or without a position", () => {
  const boxes: readonly Box[] = [
    [330, 10, 340, 20],
    [10, -20, 20, -10],
    [50, 50, 40, 40],
    [Number.NaN, 1, 2, 3],
  ];
  expect(drawn(boxes.map((box) => thing(box)))).toEqual([]);
});

/** The relative luminance, by WCAG 2, of what librsvg makes of colors. */
async function luminances(colors: readonly string[]): Promise<readonly number[]> {
  const pixels = colors.map((color, x) => `<rect x="${x}" width="1" height="1" fill="${color}"/>`);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${colors.length}" height="1">${pixels.join("")}</svg>`;
  const data = await sharp(Buffer.from(svg)).removeAlpha().raw().toBuffer();
  const linear = Array.from(data, (byte) => (byte < 11 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4));
  return colors.map((_, i) => 0.2126 * linear[3 * i]! + 0.7152 * linear[3 * i + 1]! + 0.0722 * linear[3 * i + 2]!);
}

it("letters have a contrast of at least 4.5 on the color of every class, and on any that a user gives", async () => {
  const given = ["#000", "#FFFF00", "rgb(120, 0, 130)", "rgb(10% 90% 40%)", "hsl(-120 100% 50%)", "rebeccapurple"];
  const colors = [...Array.from({ length: 1203 }, (_, index) => colorOf(index)), ...given];
  const captions = colors.map(captionColors);
  const [grounds, inks] = await Promise.all(
    (["ground", "ink"] as const).map((part) => luminances(captions.map((each) => each[part]))),
  );
  for (const [i, ground] of grounds!.entries()) {
    const [dark, light] = [ground, inks![i]!].sort((one, other) => one - other) as [number, number];
    expect((light + 0.05) / (dark + 0.05), colors[i]).toBeGreaterThan(4.5);
  }
  // What CSS calls colors by name is not known here.
  expect(captions.map(({ ground }) => ground).slice(0, -1)).toEqual(colors.slice(0, -1));
});

it("rectangles of a mask have every covered pixel once", () => {
  const [width, height] = [13, 9];
  const data = Uint8Array.from({ length: width * height }, (_, i) => Number((i * 7919) % 11 < 6));
  const [{ mask }] = drawn([thing([0, 0, 20, 20], "", { mask: { x: 3, y: 5, width, height, data } })], {
    scale: 2,
  }) as [ReturnType<typeof drawn>[number]];
  const times = new Uint8Array(width * height);
  for (const each of mask) {
    for (let y = each.y / 2; y < (each.y + each.height) / 2; y++)
      for (let x = each.x / 2; x < (each.x + each.width) / 2; x++) times[(y - 5) * width + x - 3]! += 1;
  }
  expect(times).toEqual(data);
});

it("an SVG is drawn by sharp, whatever letters labels have: masks, boxes, keypoints and captions", async () => {
  const mask = { x: 100, y: 100, width: 40, height: 20, data: new Uint8Array(800).fill(1) };
  const keypoints = [{ x: 200, y: 200, score: 1, name: "0" }];
  const found = [
    thing([100, 100, 180, 160], '<a> & "b"\0\ud800', { mask, keypoints }),
    thing([10, 10, 10, 10]),
    thing([-1e9, 0, 1e9, 1e9]),
  ];
  const svg = annotateSvg(found, PICTURE, { color: () => "#00ff00", scale: 2 });
  const { data, info } = await sharp(Buffer.from(svg)).raw().toBuffer({ resolveWithObject: true });
  expect([info.width, info.height, info.channels]).toEqual([640, 480, 4]);
  const at = (x: number, y: number) => [...data.subarray(4 * (y * 640 + x), 4 * (y * 640 + x) + 4)];
  expect(at(300, 320)).toEqual([0, 255, 0, 255]); // the line at the bottom
  expect(at(400, 400)).toEqual([0, 255, 0, 255]); // the keypoint
  expect(at(240, 220)).toEqual([0, 255, 0, 102]); // the mask
  expect(at(202, 190)).toEqual([0, 255, 0, 255]); // the ground of the caption
  expect(at(340, 280)).toEqual([0, 0, 0, 0]);
});
