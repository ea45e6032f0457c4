import { bytesText, timeText } from "@pt2/cli/report";
import { el } from "../page/dom.ts";
import type { Measured } from "./measure.ts";

/** How long a load took, and whether it did everything: where sizes are open, the first run does most of it. */
export interface LoadTime {
  readonly ms: number;
  readonly isWhole: boolean;
}

/** How long a run took and how much memory the model holds: a row of facts. */
export function summaryOf({ firstMs, meanMs, repeats, memory }: Measured, load: LoadTime | null): HTMLElement {
  const { weights, activations, reserved } = memory;
  const run =
    meanMs === null
      ? tile("Run", timeText(firstMs), "measured, one run")
      : tile("Run", timeText(meanMs), `mean of ${repeats}, the first took ${timeText(firstMs)}`);
  return el(
    "dl",
    { class: "tiles" },
    run,
    load === null
      ? null
      : tile("Load", timeText(load.ms), load.isWhole ? "weights read, kernels made" : "the first run did the rest"),
    tile("Memory", bytesText(reserved), `${bytesText(weights)} weights, ${bytesText(activations)} activations`),
  );
}

function tile(name: string, value: string, note: string): HTMLElement {
  return el("div", {}, el("dt", {}, name), el("dd", { class: "value" }, value), el("dd", { class: "note" }, note));
}
