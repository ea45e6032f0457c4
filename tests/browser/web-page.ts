import { readFile } from "node:fs/promises";
import { viewAs } from "@pt2/backend";
import { fromBytes, readSafetensors } from "@pt2/format";
import { tensor } from "@pt2/runtime";
import type { Locator, Page } from "playwright-core";
import type { Leaf } from "../src/difference.ts";

/** Corners of digits in a square of 10 by 10, stroke by stroke. */
const CORNERS: Readonly<Record<number, string>> = {
  2: "2.5,3 3.2,1.6 5,1 6.8,1.8 7.2,3.2 6.4,5 4.4,7 2.4,9 7.6,9",
  4: "5.6,1 2.4,6.2 8,6.2 | 6,3.6 6,9",
  8: "6.8,2.2 5,1 3.2,2 3.4,3.6 5,4.8 6.8,6.4 6.8,8.2 5,9 3.2,8.2 3.2,6.6 5,4.8 6.6,3.6 6.8,2.2",
};

/** Draws a digit on the pad with the mouse. */
export async function drawDigit(page: Page, digit: number): Promise<void> {
  const pad = (await page.locator("#digit-pad").boundingBox())!;
  for (const stroke of CORNERS[digit]!.split(" | ")) {
    const points = stroke.split(" ").map((corner) => corner.split(",").map(Number) as [number, number]);
    const at = ([x, y]: readonly [number, number]) =>
      [pad.x + (x / 10) * pad.width, pad.y + (y / 10) * pad.height] as const;
    await page.mouse.move(...at(points[0]!));
    await page.mouse.down();
    for (const point of points) await page.mouse.move(...at(point), { steps: 3 });
    await page.mouse.up();
  }
}

/** Waits until the network of the first panel can answer. */
export async function digitIsReady(page: Page): Promise<void> {
  await page.locator("#digit-status", { hasText: /Loaded|Answered/ }).waitFor();
}

/** The card of an open model: `run`, `graph`, `ops`, … */
export function section(page: Page, name: string): Locator {
  return page.locator(`#section-${name}`);
}

/** A row of the table of outputs, as the page writes it. */
export interface OutputRow {
  readonly name: string;
  readonly type: string;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly head: readonly number[];
}

/** Presses Run and reads the outputs. */
export async function runModel(page: Page): Promise<readonly OutputRow[]> {
  const run = section(page, "run");
  const start = run.getByRole("button", { name: "Run", exact: true });
  await run.locator(".results").evaluate((results) => results.replaceChildren());
  await start.click();
  await run.getByRole("table", { name: "Outputs" }).waitFor();
  const rows = await run.getByRole("table", { name: "Outputs" }).locator("tbody tr").all();
  return await Promise.all(
    rows.map(async (row) => {
      const [name, type, min, max, mean, head] = await row.locator("td").allInnerTexts();
      const numbers = [min, max, mean].map(Number) as [number, number, number];
      return {
        ...{ name: name!, type: type!, min: numbers[0], max: numbers[1], mean: numbers[2] },
        head: head!.trim().split(/\s+/).map(Number),
      };
    }),
  );
}

/** Saves the outputs of the last run and reads the file. */
export async function savedOutputs(page: Page): Promise<readonly Leaf[]> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    section(page, "run").getByRole("button", { name: "Save outputs" }).click(),
  ]);
  const { tensors } = await readSafetensors(fromBytes(await readFile(await download.path())));
  return [...tensors.values()].map(({ dtype, shape, bytes }) => tensor(dtype, shape, viewAs(dtype, bytes)));
}
