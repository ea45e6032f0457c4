import { byId, el, fill } from "../page/dom.ts";
import { errorCard } from "../page/error-card.ts";
import type { RunPanel } from "../run/panel.ts";
import { hintFor, openPicked } from "./open.ts";
import { initPick, type Picked } from "./pick.ts";

/** The panel in which a file is opened and looked at. Returns what opens one. */
export function initModelPanel(): (picked: Picked) => Promise<void> {
  const [place, status] = [byId("model"), byId("model-status")];
  let shown: RunPanel | undefined;
  let opening: AbortController | undefined;

  const open = async (picked: Picked): Promise<void> => {
    opening?.abort();
    opening = new AbortController();
    const { signal } = opening;
    const name = typeof picked === "string" ? picked : picked.name;
    status.textContent = `Opening ${name} …`;
    fill(place);
    await shown?.dispose();
    shown = undefined;
    try {
      const file = await openPicked(picked, signal);
      await choose(file, file.archive.models[0]!, signal);
      setAddress(file.address);
      status.textContent = "";
    } catch (problem) {
      if (signal.aborted) return;
      status.textContent = "";
      fill(place, errorCard(`${name} cannot be opened`, problem, hintFor(picked)));
    }
  };
  const choose = async (
    file: Awaited<ReturnType<typeof openPicked>>,
    name: string,
    signal: AbortSignal,
  ): Promise<void> => {
    const { showModel } = await import("./show.ts");
    const { element, run } = await showModel(file, name);
    if (signal.aborted) return await run.dispose();
    shown = run;
    const models = file.archive.models;
    const picker = el("select", { "aria-label": "Model of the archive" });
    picker.append(...models.map((each) => el("option", { value: each, selected: each === name }, each)));
    picker.addEventListener("change", async () => {
      await shown?.dispose();
      await choose(file, picker.value, signal);
    });
    fill(
      place,
      el("header", { class: "model-name" }, el("h2", {}, file.name), models.length > 1 ? picker : null),
      element,
    );
  };
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
