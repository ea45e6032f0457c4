import { byId } from "../page/dom.ts";

/** What the user wants opened: a file of theirs, or an address. */
export type Picked = File | string;

/** A file or a link that is dropped anywhere, a file that is chosen, or one that is named by its address. */
export function initPick(onPick: (picked: Picked) => void): void {
  const input = byId<HTMLInputElement>("model-file");
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
    byId("drop-over").hidden = depth === 0;
  };
  addEventListener("dragenter", ({ dataTransfer }) => over(isFileOrLink(dataTransfer) ? 1 : 0));
  addEventListener("dragleave", ({ dataTransfer }) => over(isFileOrLink(dataTransfer) ? -1 : 0));
  addEventListener("dragover", (event) => {
    if (isFileOrLink(event.dataTransfer)) event.preventDefault();
  });
  addEventListener("drop", (event) => {
    over(-depth);
    if (!isFileOrLink(event.dataTransfer)) return;
    event.preventDefault();
    const [file = linkIn(event.dataTransfer)] = event.dataTransfer.files;
    if (file !== undefined) onPick(file);
  });
}

const LINK = "text/uri-list";

/** Text that is dragged into a field is none. */
function isFileOrLink(data: DataTransfer | null): data is DataTransfer {
  return data !== null && (data.types.includes("Files") || data.types.includes(LINK));
}

/** The first address of a list, which may have comments. */
function linkIn(data: DataTransfer): string | undefined {
  return data
    .getData(LINK)
    .split(/\r?\n/)
    .find((line) => line !== "" && !line.startsWith("#"));
}
