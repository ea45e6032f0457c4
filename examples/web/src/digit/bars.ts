import { el } from "../page/dom.ts";

/** Ten bars, one for each digit. */
export interface Bars {
  readonly element: HTMLElement;
  /** Shows how likely each digit is; null before there is a drawing. */
  show(probabilities: readonly number[] | null): void;
}

/** Bars that move as the answer changes. */
export function digitBars(): Bars {
  const rows = Array.from({ length: 10 }, (_, digit) => {
    const fill = el("span", { class: "fill" });
    const percent = el("span", { class: "percent" });
    const row = el(
      "li",
      {},
      el("span", { class: "digit" }, String(digit)),
      el("span", { class: "bar" }, fill),
      percent,
    );
    return { row, fill, percent };
  });
  return {
    element: el("ol", { class: "digit-bars", "aria-label": "How likely each digit is" }, ...rows.map(({ row }) => row)),
    show(probabilities) {
      const best = probabilities === null ? -1 : probabilities.indexOf(Math.max(...probabilities));
      rows.forEach(({ row, fill, percent }, digit) => {
        const share = probabilities?.[digit] ?? 0;
        row.classList.toggle("best", digit === best);
        fill.style.transform = `scaleX(${share})`;
        percent.textContent = probabilities === null ? "" : `${(100 * share).toFixed(share > 0.0995 ? 0 : 1)} %`;
      });
    },
  };
}
