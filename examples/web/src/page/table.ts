import { type Child, el } from "./dom.ts";

/** A table of text or elements. */
export interface TableParts {
  /** Says what it is to those who do not see the heading above it. */
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Child[])[];
  /** Columns of numbers, by index. */
  readonly numeric?: readonly number[];
  /** The number of rows shown before the user expands the table. @default all */
  readonly most?: number;
}

/** A table that scrolls sideways by itself where the page is narrow. */
export function table({ caption, columns, rows, numeric = [], most = rows.length }: TableParts): HTMLElement {
  const style = (column: number): { readonly class?: string } => (numeric.includes(column) ? { class: "number" } : {});
  const head = columns.map((name, i) => el("th", { scope: "col", ...style(i) }, name));
  const lines = rows.map((row) => el("tr", {}, ...row.map((cell, i) => el("td", style(i), cell))));
  const body = el("tbody", {}, ...lines.slice(0, most));
  const scroll = el(
    "div",
    { class: "scroll", role: "group", "aria-label": caption },
    el("table", {}, el("caption", { class: "unseen" }, caption), el("thead", {}, el("tr", {}, ...head)), body),
  );
  // The keyboard has to get there where there is something to scroll, and only there.
  new ResizeObserver(() => {
    scroll.tabIndex = scroll.scrollWidth > scroll.clientWidth ? 0 : -1;
  }).observe(scroll);
  return el("div", {}, scroll, lines.length > most ? allOrSome(body, lines, most) : null);
}

function allOrSome(body: HTMLElement, lines: readonly HTMLElement[], most: number): HTMLElement {
  const offer = `Show all ${lines.length.toLocaleString("en-US")}`;
  const button = el("button", { type: "button", class: "quiet more", "aria-expanded": "false" }, offer);
  button.addEventListener("click", () => {
    const all = body.childElementCount === most;
    body.replaceChildren(...(all ? lines : lines.slice(0, most)));
    button.textContent = all ? `Show the first ${most}` : offer;
    button.setAttribute("aria-expanded", String(all));
  });
  return button;
}
