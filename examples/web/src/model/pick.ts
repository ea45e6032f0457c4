import { byId } from "../page/dom.ts";

/** What the user wants opened: a file of theirs, or an address. */
export type Picked = File | string;

/** A file that is dropped anywhere, chosen, or named by its address. */
export function initPick(onPick: (picked: Picked) => void): void {
  const [zone, input] = [byId("drop"), byId<HTMLInputElement>("model-file")];
  byId("choose").addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    const [file] = input.files ?? [];
    if (file !== undefined) onPick(file);
    // The same file may be chosen again after it was exported anew.
    input.value = "";
  });
  byId<HTMLFormElement>("link-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const address = byId<HTMLInputElement>("link").value.trim();
    if (address !== "") onPick(address);
  });

  let depth = 0;
  const over = (change: number): void => {
    depth = Math.max(depth + change, 0);
    zone.classList.toggle("over", depth > 0);
  };
  addEventListener("dragenter", () => over(1));
  addEventListener("dragleave", () => over(-1));
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    depth = 0;
    over(0);
    const [file] = event.dataTransfer?.files ?? [];
    if (file !== undefined) onPick(file);
  });
}
