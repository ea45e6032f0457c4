import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import type { Box } from "./geometry.ts";
import { pasteMask } from "./mask.ts";

const golden = JSON.parse(await readFile(new URL("mask.golden.json", import.meta.url), "utf8"));
const { height, width, side } = golden;
type Case = { readonly box: Box; readonly shares: readonly number[]; readonly covered: string };

it.each(golden.masks as readonly Case[])("a mask covers what torchvision pastes: $box", ({ box, shares, covered }) => {
  const mask = pasteMask(shares, side, box, { width, height });
  const whole = new Uint8Array(width * height);
  for (let row = 0; row < mask.height; row++) {
    whole.set(mask.data.subarray(row * mask.width, (row + 1) * mask.width), (mask.y + row) * width + mask.x);
  }
  expect(whole.join("")).toBe(covered);
});
