import { type Child, el } from "./dom.ts";

/** A table of text or elements. */
export interface TableParts {
  /** Says what it is to those who do not see the heading above it. */
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Child[])[];
  /** Columns of numbers, by index. */
  readonly numeric?: readonly number[];
}

/** A table that scrolls sideways by itself where the page is narrow. */
export function table({ caption, columns, rows, numeric = [] }: TableParts): HTMLElement {
  const style = (column: number): { readonly class?: string } => (numeric.includes(column) ? { class: "number" } : {});
  const head = columns.map((name, i) => el("th", { scope: "col", ...style(i) }, name));
  const body = rows.map((row) => el("tr", {}, ...row.map((cell, i) => el("td", style(i), cell))));
  return el(
    "div",
    { class: "scroll" },
    el(
      "table",
      {},
      el("caption", { class: "unseen" }, caption),
      el("thead", {}, el("tr", {}, ...head)),
      el("tbody", {}, ...body),
    ),
  );
}
