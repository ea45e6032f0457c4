import { byId, el, fill } from "../page/dom.ts";
import { errorCard } from "../page/error-card.ts";
import { hintFor, nameOf, type OpenFile, openPicked } from "./open.ts";
import { initPick, type Picked } from "./pick.ts";
import type { ShownModel } from "./show.ts";

/** What the page is called when no model is open. */
const TITLE = document.title;

/** The panel in which a file is opened and looked at. Returns what opens one; `onOpen` is called whenever one is. */
export function initModelPanel(onOpen: () => void): (picked: Picked) => Promise<void> {
  const [place, status, start] = [byId("model"), byId("model-status"), byId("start")];
  let shown: ShownModel | undefined;
  let opening = new AbortController();

  /** Takes the place of what was opened before, or is being opened. */
  const attempt = async (name: string, hint: string | undefined, act: (signal: AbortSignal) => Promise<void>) => {
    opening.abort();
    opening = new AbortController();
    const { signal } = opening;
    const cancel = el("button", { type: "button", class: "link", onclick: () => opening.abort() }, "Cancel");
    fill(status, `Opening ${name} … `, cancel);
    fill(place);
    start.hidden = true;
    document.title = TITLE;
    // Not awaited: runs of the previous model may still be in flight.
    shown?.dispose().catch(() => {});
    shown = undefined;
    try {
      await act(signal);
      status.textContent = "";
    } catch (problem) {
      // What was opened instead says so itself.
      if (signal !== opening.signal) return;
      status.textContent = signal.aborted ? "Canceled." : "";
      start.hidden = !signal.aborted;
      if (!signal.aborted) fill(place, errorCard(`${name} cannot be opened`, problem, hint));
    }
  };
  const show = async (file: OpenFile, name: string, signal: AbortSignal): Promise<void> => {
    const { showModel } = await import("./show.ts");
    const model = await showModel(file, name);
    if (signal.aborted) await model.dispose();
    signal.throwIfAborted();
    shown = model;
    const { models } = file.archive;
    const picker = el("select", { "aria-label": "Model of the archive" });
    picker.append(...models.map((each) => el("option", { value: each, selected: each === name }, each)));
    picker.addEventListener("change", () => {
      void attempt(picker.value, undefined, (next) => show(file, picker.value, next));
    });
    const title = el("h2", { tabindex: -1 }, file.name);
    fill(place, el("header", { class: "model-name" }, title, models.length > 1 ? picker : null), model.element);
    document.title = `${file.name} · pt2`;
    // Moves the focus to the model, unless the user has moved it elsewhere meanwhile.
    if (byId("drop").contains(document.activeElement)) title.focus();
  };
  const open = (picked: Picked): Promise<void> => {
    onOpen();
    setAddress(typeof picked === "string" ? picked : null);
    return attempt(nameOf(picked), hintFor(picked), async (signal) => {
      const file = await openPicked(picked, signal);
      await show(file, file.archive.models[0]!, signal);
    });
  };
  initPick((picked) => void open(picked));
  return open;
}

/** Keeps the address of the model in the address of the page, so that it can be shared; that of another one goes. */
function setAddress(address: string | null): void {
  byId<HTMLInputElement>("link").value = address ?? "";
  const url = new URL(location.href);
  if (address === null) url.searchParams.delete("model");
  else url.searchParams.set("model", address);
  history.replaceState(null, "", url);
}
