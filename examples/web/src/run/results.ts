import type { ModelReport } from "@pt2/cli";
import { el } from "../page/dom.ts";
import type { Measured } from "./measure.ts";
import { outputsTable } from "./outputs.ts";
import { saveOutputs } from "./save-outputs.ts";
import { type LoadTime, summaryOf } from "./summary.ts";
import { timings } from "./timings.ts";

/** How a run is shown. */
export interface ResultOptions {
  readonly load: LoadTime;
  readonly backend: string;
  /** Shows a node in the graph. */
  readonly onNode: (node: string) => void;
}

/** Everything that a run gave: times and memory, outputs, where the time went, and what the compiler did. */
export async function resultsOf(
  { outputs }: ModelReport,
  measured: Measured,
  { load, backend, onNode }: ResultOptions,
): Promise<readonly HTMLElement[]> {
  const save = (): void => void saveOutputs(measured.outputs);
  return [
    summaryOf(measured, backend, load),
    el(
      "div",
      { class: "heading" },
      el("h3", {}, "Outputs"),
      el("button", { type: "button", class: "quiet", onclick: save }, "Save outputs"),
    ),
    await outputsTable(outputs, measured.outputs),
    el("h3", {}, "Where the time goes"),
    timings(measured.profile, backend, onNode),
    el(
      "details",
      {},
      el("summary", {}, "How it was compiled"),
      el("pre", { class: "source", tabindex: 0 }, measured.explanation),
    ),
  ];
}
