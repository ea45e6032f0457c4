import { bytesText } from "@pt2/cli";
import type { Progress } from "@pt2/runtime";
import { el } from "../page/dom.ts";

/** A line that says what is being done and how far it is, or how the last run ended. Its height never changes. */
export interface RunStatus {
  readonly element: HTMLElement;
  /** Shows an activity of unknown duration. */
  doing(text: string): void;
  /** Shows the progress of a load. */
  onProgress(progress: Progress): void;
  /** Shows the end of an activity, which screen readers announce. */
  done(text: string): void;
}

/** Makes the line, with what it says before the first run. */
export function runStatus(idle: string): RunStatus {
  const bar = el("progress", { "aria-label": "Progress" });
  const stage = el("span", { class: "note" });
  const busy = el("div", { class: "progress", hidden: true }, bar, stage);
  const outcome = el("p", { class: "note", role: "status" }, idle);
  const show = (isBusy: boolean): void => {
    [busy.hidden, outcome.hidden] = [!isBusy, isBusy];
  };
  return {
    element: el("div", { class: "run-status" }, busy, outcome),
    doing(text) {
      stage.textContent = text;
      bar.removeAttribute("value");
      show(true);
    },
    onProgress({ stage: what, done, total }) {
      stage.textContent =
        what === "weights" ? `Reading weights: ${bytesText(done)} of ${bytesText(total)}` : "Making kernels …";
      if (total === 0) bar.removeAttribute("value");
      else bar.value = done / total;
    },
    done(text) {
      show(false);
      outcome.textContent = text;
    },
  };
}
