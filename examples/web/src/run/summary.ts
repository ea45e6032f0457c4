import { bytesText, timeText } from "@pt2/cli";
import { el } from "../page/dom.ts";
import type { Measured } from "./measure.ts";

/** How long a load took, and whether it did everything: where sizes are open, the first run does most of it. */
export interface LoadTime {
  readonly ms: number;
  readonly isWhole: boolean;
}

/** How long a run took and how much memory the model holds: a row of facts. */
export function summaryOf(measured: Measured, backend: string, load: LoadTime): HTMLElement {
  const { weights, activations, reserved } = measured.memory;
  return el(
    "dl",
    { class: "tiles" },
    tile(`Run on ${backend}`, timeText(measured.meanMs ?? measured.firstMs), repeatsText(measured)),
    tile("Load", timeText(load.ms), load.isWhole ? "weights read, kernels made" : "the first run did the rest"),
    tile("Memory", bytesText(reserved), `${bytesText(weights)} weights, ${bytesText(activations)} activations`),
  );
}

function repeatsText({ firstMs, meanMs, repeats }: Measured): string {
  if (meanMs === null) return "one run, measured step by step";
  return `${repeats === 1 ? "second run" : `mean of ${repeats}`}, the first took ${timeText(firstMs)}`;
}

function tile(name: string, value: string, note: string): HTMLElement {
  return el("div", {}, el("dt", {}, name), el("dd", { class: "value" }, value), el("dd", { class: "note" }, note));
}
