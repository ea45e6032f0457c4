import { bytesText, timeText } from "@pt2/cli/report";
import type { Profile, Progress } from "@pt2/runtime";
import { type BackendOffer, bestOf } from "../backends.ts";
import type { ModelDetails } from "../model/details.ts";
import { backendChoice } from "../page/backend-choice.ts";
import { el, fill } from "../page/dom.ts";
import { errorCard, isPt2Error } from "../page/error-card.ts";
import { inputChoice } from "./inputs.ts";
import { measure } from "./measure.ts";
import { onLiveDevice } from "./on-live-device.ts";
import { resultsOf } from "./results.ts";
import { Session } from "./session.ts";

/** Where a model is run. */
export interface RunPanel {
  readonly element: HTMLElement;
  dispose(): Promise<void>;
}

/** What the rest of the page hears of it. */
export interface RunEvents {
  /** A node of the results was chosen. */
  readonly onNode: (node: string) => void;
  readonly onProfile: (profile: Profile) => void;
}

/** What is to be said when a run fails: of inputs that do not fit, or of the backend, and which other one there is. */
function failure(problem: unknown, chosen: BackendOffer, offered: readonly BackendOffer[]): HTMLElement {
  const isOfInputs = isPt2Error(problem) && /^(runtime\.(call|input)|graph\.input)/.test(problem.code);
  if (isOfInputs) return errorCard("The inputs do not fit the program", problem);
  const other = offered.find((offer) => offer !== chosen && offer.missing === null);
  const hint = other && `${other.label} may run it: choose it above.`;
  return errorCard(`${chosen.label} could not run it`, problem, hint);
}

/** Runs a model on inputs and a backend of the user's choice. */
export function runPanel(details: ModelDetails, offered: readonly BackendOffer[], events: RunEvents): RunPanel {
  const session = new Session(details);
  const inputs = inputChoice(details);
  const results = el("div", { class: "results" });
  const outcome = el("p", { class: "unseen", role: "status" });
  const bar = el("progress", { "aria-label": "Progress" });
  const stage = el("span", { class: "note" });
  const progress = el("div", { class: "progress", hidden: true }, bar, stage);
  const start = el("button", { type: "button", class: "primary" }, "Run");
  const cancel = el("button", { type: "button", hidden: true }, "Cancel");
  let chosen = bestOf(offered);
  let underWay: AbortController | undefined;
  /** Whether there was something to be told since the load began. */
  let heard = false;

  const say = (text: string, done?: number): void => {
    stage.textContent = text;
    if (done === undefined) bar.removeAttribute("value");
    else bar.value = done;
  };
  const onProgress = ({ stage: what, done, total }: Progress): void => {
    heard = true;
    const part = total === 0 ? undefined : done / total;
    say(what === "weights" ? `Reading weights: ${bytesText(done)} of ${bytesText(total)}` : "Making kernels …", part);
  };
  const busy = (isBusy: boolean): void => {
    start.disabled = isBusy;
    [progress.hidden, cancel.hidden] = [!isBusy, !isBusy];
    if (isBusy) cancel.focus();
    else start.focus();
  };
  const run = async ({ id, label }: BackendOffer, signal: AbortSignal): Promise<void> => {
    const leaves = inputs.leaves();
    const isLoaded = session.has(id);
    say(`Loading on ${label} …`);
    heard = false;
    const begin = performance.now();
    const model = await session.model(id, { signal, onProgress });
    const load = isLoaded ? null : { ms: performance.now() - begin, isWhole: heard };
    say(`Running on ${label} …`);
    const isStateful = details.report.mutated.length > 0;
    const measured = await onLiveDevice(
      model,
      () => measure(model, leaves, isStateful, signal),
      () => say(`${label} went away. Loading again …`),
    );
    const { onNode } = events;
    fill(results, ...(await resultsOf(details.report, measured, { load, backend: label, onNode })));
    outcome.textContent = `Done: ${timeText(measured.meanMs ?? measured.firstMs)} on ${label}.`;
    events.onProfile(measured.profile);
  };
  start.disabled = chosen === undefined;
  start.addEventListener("click", async () => {
    if (chosen === undefined) return;
    underWay = new AbortController();
    busy(true);
    try {
      await run(chosen, underWay.signal);
    } catch (problem) {
      const { aborted } = underWay.signal;
      fill(results, aborted ? el("p", { class: "note" }, "Cancelled.") : failure(problem, chosen, offered));
    } finally {
      busy(false);
    }
  });
  cancel.addEventListener("click", () => underWay?.abort());

  const backends = el("div", {});
  backendChoice(backends, offered, (offer) => {
    chosen = offer;
  });
  const controls = el(
    "div",
    { class: "run-controls" },
    inputs.element,
    backends,
    el("div", { class: "actions" }, start, cancel),
  );
  return {
    element: el("div", {}, controls, progress, outcome, results),
    async dispose() {
      underWay?.abort();
      await session.dispose();
    },
  };
}
