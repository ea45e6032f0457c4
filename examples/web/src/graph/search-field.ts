import type { Graph } from "@pt2/graph";
import { el } from "../page/dom.ts";
import { search } from "./search.ts";

/** A field that finds nodes: Enter goes to the next one, Shift and Enter to the one before. */
export function searchField(graph: () => Graph, reveal: (node: string) => void): HTMLElement {
  const count = el("span", { class: "note", "aria-live": "polite" });
  const input = el("input", {
    type: "search",
    placeholder: "Find an op, module or line",
    "aria-label": "Find an op, a module or a line of Python",
  });
  let at = -1;
  const tell = (total: number): void => {
    count.textContent = input.value.trim() === "" ? "" : total === 0 ? "none" : `${at + 1} of ${total}`;
  };
  input.addEventListener("input", () => {
    at = -1;
    const { length } = search(graph().nodes, input.value);
    count.textContent = input.value.trim() === "" ? "" : `${length} found`;
  });
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    const found = search(graph().nodes, input.value);
    at = found.length === 0 ? -1 : (at + (event.shiftKey ? -1 : 1) + found.length) % found.length;
    tell(found.length);
    const node = found[at];
    if (node !== undefined) reveal(node.name);
  });
  return el("div", { class: "search" }, input, count);
}
