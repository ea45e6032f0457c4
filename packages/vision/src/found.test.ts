import { tensor } from "@pt2/runtime";
import { expect, it } from "vitest";
import { readFound, requireOutputs } from "./found.ts";
import { place } from "./geometry.ts";

/** A picture of 100 × 50 pixels in a letterbox of 100 × 100: 25 rows of padding above and below. */
const PLACEMENT = place({ width: 100, height: 50 }, { height: 100, width: 100, fit: "letterbox", fill: 0 });
const NAMES = { labels: ["a", "b", "c", "d", "e"], keypoints: [] };

const BOXES = [
  [10, 2, 30, 20], // in the padding
  [10, 5, 30, 45], // half in it
  [10, 75, 30, 80], // at the picture's lower edge, from outside
  [40, 40, 40, 60], // without a width
  [-1e9, -1e9, 1e9, 1e9],
];

it("boxes are clipped to the picture, and left out where they lie in padding or cover nothing", async () => {
  const outputs = requireOutputs({
    boxes: tensor(BOXES.flat(), { shape: [5, 4] }),
    scores: tensor([0.9, 0.8, 0.7, 0.6, 0.5]),
    labels: tensor([0n, 1n, 2n, 3n, 4n], { dtype: "int64" }),
  });
  const found = await readFound(outputs, PLACEMENT, NAMES, 0.5);
  expect(found.map(({ label, box }) => [label, ...box])).toEqual([
    ["b", 10, 0, 30, 20],
    ["e", 0, 0, 100, 50],
  ]);
  expect(await readFound(outputs, PLACEMENT, NAMES, 0.85)).toEqual([]);
});

it("masks and points of a box that reaches out of the picture stay where they are in it", async () => {
  const [side, below] = [28, (_: unknown, i: number) => Number(i >= 14 * 28)];
  const outputs = requireOutputs({
    boxes: tensor(BOXES[1]!, { shape: [1, 4] }),
    scores: tensor([0.9]),
    labels: tensor([1n], { dtype: "int64" }),
    // The lower half of the box is what is in the picture.
    masks: tensor(Array.from({ length: side * side }, below), { shape: [1, 1, side, side] }),
    keypoints: tensor([20, 35, 1, 20, 5, 1], { shape: [1, 2, 3] }),
  });
  const [{ mask, keypoints }] = (await readFound(outputs, PLACEMENT, NAMES, 0)) as [
    Awaited<ReturnType<typeof readFound>>[number],
  ];
  expect([mask!.x, mask!.y]).toEqual([9, 0]);
  const middle = Array.from({ length: mask!.height }, (_, row) => mask!.data[row * mask!.width + 10]);
  // torchvision pastes into the whole pixels of a box, so its first row may be off by one.
  expect(middle.slice(1, 20)).toEqual(new Array(19).fill(1));
  expect(keypoints!.map(({ x, y }) => [x, y])).toEqual([
    [20, 10],
    [20, 0],
  ]);
});
