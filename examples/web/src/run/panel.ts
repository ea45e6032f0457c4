import { bytesText, timeText } from "@pt2/cli";
import type { Profile, Value } from "@pt2/runtime";
import { type BackendId, type BackendOffer, bestOf } from "../backends.ts";
import type { ModelDetails } from "../model/details.ts";
import { backendChoice } from "../page/backend-choice.ts";
import { el, fill } from "../page/dom.ts";
import { failure } from "./failure.ts";
import { inputChoice } from "./inputs.ts";
import { measure, release } from "./measure.ts";
import { onLiveDevice } from "./on-live-device.ts";
import { runStatus } from "./progress.ts";
import { resultsOf } from "./results.ts";
import { Session } from "./session.ts";
import type { LoadTime } from "./summary.ts";

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

/** Runs a model on inputs and a backend of the user's choice. */
export function runPanel(details: ModelDetails, offered: readonly BackendOffer[], events: RunEvents): RunPanel {
  const { report } = details;
  const session = new Session(details);
  const inputs = inputChoice(details);
  const results = el("div", { class: "results" });
  const status = runStatus(idleText(details));
  const start = el("button", { type: "button", class: "primary" }, "Run");
  const cancel = el("button", { type: "button", hidden: true }, "Cancel");
  const actions = el("div", { class: "actions" }, start, cancel);
  let chosen = bestOf(offered);
  let underWay: AbortController | undefined;
  let outputs: readonly Value[] = [];
  /** What came before the first run on each backend. */
  const loads = new Map<BackendId, LoadTime>();

  const busy = (isBusy: boolean): void => {
    // The focus moves only if the user has not moved it elsewhere.
    const isHere = actions.contains(document.activeElement);
    [start.disabled, cancel.hidden] = [isBusy, !isBusy];
    results.ariaBusy = String(isBusy);
    if (isHere) (isBusy ? cancel : start).focus();
  };
  const run = async ({ id, label }: BackendOffer, signal: AbortSignal): Promise<void> => {
    const [leaves, given] = [inputs.leaves(), inputs.describe()];
    // Whether the load has reported progress.
    let heard = false;
    const begin = performance.now();
    const model = await session.model(id, {
      signal,
      onProgress(progress) {
        heard = true;
        status.onProgress(progress);
      },
    });
    const load = loads.get(id) ?? { ms: performance.now() - begin, isWhole: heard };
    loads.set(id, load);
    status.doing(`Running on ${label} …`);
    const measured = await onLiveDevice(
      model,
      () => measure(model, leaves, report.mutated.length > 0, signal),
      () => status.doing(`${label} went away. Loading again …`),
    );
    signal.throwIfAborted();
    release(outputs);
    outputs = measured.outputs;
    fill(results, ...(await resultsOf(report, measured, { load, backend: label, onNode: events.onNode })));
    status.done(`Done: ${timeText(measured.meanMs ?? measured.firstMs)} on ${label}, with ${given}.`);
    events.onProfile(measured.profile);
  };
  start.disabled = chosen === undefined;
  start.addEventListener("click", async () => {
    // Another one may be chosen meanwhile, for the next run.
    const offer = chosen;
    if (offer === undefined || !inputs.areValid()) return;
    underWay = new AbortController();
    const { signal } = underWay;
    status.doing(`Loading on ${offer.label} …`);
    busy(true);
    try {
      await run(offer, signal);
    } catch (problem) {
      status.done(signal.aborted ? "Canceled." : "");
      fill(results, signal.aborted ? null : failure(problem, offer, offered));
    } finally {
      busy(false);
    }
  });
  cancel.addEventListener("click", () => {
    // Where a worker cannot be interrupted, it takes until its step is done.
    status.doing("Stopping …");
    underWay?.abort();
  });

  const backends = el("div", {});
  backendChoice(backends, offered, (offer) => {
    chosen = offer;
  });
  return {
    element: el(
      "div",
      {},
      el("div", { class: "run-controls" }, inputs.element, backends, actions),
      status.element,
      results,
    ),
    async dispose() {
      underWay?.abort();
      await session.dispose();
    },
  };
}

/** What is to be expected before the first run. */
function idleText({ report }: ModelDetails): string {
  const bytes = report.weights.reduce((sum, weights) => sum + weights.bytes, 0);
  return bytes === 0 ? "Ready to run." : `The first run reads ${bytesText(bytes)} of weights.`;
}
