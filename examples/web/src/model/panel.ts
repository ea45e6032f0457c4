import { byId, el, fill } from "../page/dom.ts";
import { errorCard } from "../page/error-card.ts";
import type { RunPanel } from "../run/panel.ts";
import { hintFor, nameOf, type OpenFile, openPicked } from "./open.ts";
import { initPick, type Picked } from "./pick.ts";

/** The panel in which a file is opened and looked at. Returns what opens one. */
export function initModelPanel(): (picked: Picked) => Promise<void> {
  const [place, status] = [byId("model"), byId("model-status")];
  let shown: RunPanel | undefined;
  let opening = new AbortController();

  /** Takes the place of what was opened before, or is being opened. */
  const attempt = async (name: string, hint: string | undefined, act: (signal: AbortSignal) => Promise<void>) => {
    opening.abort();
    opening = new AbortController();
    const { signal } = opening;
    const cancel = el("button", { type: "button", class: "link", onclick: () => opening.abort() }, "Cancel");
    fill(status, `Opening ${name} … `, cancel);
    fill(place);
    await shown?.dispose();
    shown = undefined;
    try {
      await act(signal);
      status.textContent = "";
    } catch (problem) {
      // What was opened instead says so itself.
      if (signal !== opening.signal) return;
      status.textContent = signal.aborted ? "Cancelled." : "";
      if (!signal.aborted) fill(place, errorCard(`${name} cannot be opened`, problem, hint));
    }
  };
  const show = async (file: OpenFile, name: string, signal: AbortSignal): Promise<void> => {
    const { showModel } = await import("./show.ts");
    const { element, run } = await showModel(file, name);
    if (signal.aborted) await run.dispose();
    signal.throwIfAborted();
    shown = run;
    const { models } = file.archive;
    const picker = el("select", { "aria-label": "Model of the archive" });
    picker.append(...models.map((each) => el("option", { value: each, selected: each === name }, each)));
    picker.addEventListener("change", () => {
      void attempt(picker.value, undefined, (next) => show(file, picker.value, next));
    });
    const title = el("header", { class: "model-name" }, el("h2", {}, file.name), models.length > 1 ? picker : null);
    fill(place, title, element);
  };
  const open = (picked: Picked): Promise<void> =>
    attempt(nameOf(picked), hintFor(picked), async (signal) => {
      const file = await openPicked(picked, signal);
      await show(file, file.archive.models[0]!, signal);
      setAddress(file.address);
    });
  initPick((picked) => void open(picked));
  return open;
}

/** Keeps the address of the model in the address of the page, so that it can be shared. */
function setAddress(address: string | null): void {
  const url = new URL(location.href);
  if (address === null) url.searchParams.delete("model");
  else url.searchParams.set("model", address);
  url.hash = "open";
  history.replaceState(null, "", url);
}
