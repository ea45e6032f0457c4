import { timesByOp, timeText, traceOf } from "@pt2/cli/report";
import type { Profile } from "@pt2/runtime";
import { el } from "../page/dom.ts";
import { download } from "../page/download.ts";
import { toolbar } from "../page/toolbar.ts";

/** Bars that are shown; the rest is one more. */
const SHOWN = 14;

interface Bar {
  readonly label: string;
  readonly title: string;
  readonly ms: number;
  /** The node that it is about. */
  readonly node?: string;
  /** Not an op. */
  readonly isRest?: boolean;
}

/** Time per op and per node as bars. `onNode` shows a node in the graph. */
export function timings(profile: Profile, backend: string, onNode: (node: string) => void): HTMLElement {
  const { steps, totalMs } = profile;
  const byOp = timesByOp(steps).map(({ ops, count, ms }) => ({
    label: count === 1 ? short(ops) : `${short(ops)} ×${count}`,
    title: ops,
    ms,
  }));
  const byNode = steps
    .toSorted((a, b) => b.ms - a.ms)
    .map(({ node, ops, where, ms }) => ({ label: `${node} · ${short(ops.join(" + "))}`, title: where, ms, node }));
  const place = el("div", {}, chart(byOp, totalMs, onNode));
  const choice = (label: string, bars: readonly Bar[], checked: boolean): HTMLElement => {
    const choose = (): void => place.replaceChildren(chart(bars, totalMs, onNode));
    return el(
      "label",
      {},
      el("input", { type: "radio", name: "timing", checked, onchange: choose }),
      el("span", {}, label),
    );
  };
  return el(
    "div",
    { class: "timings" },
    toolbar([
      el(
        "div",
        { class: "segmented", role: "radiogroup", "aria-label": "Times by" },
        choice("By op", byOp, true),
        choice("By node", byNode, false),
      ),
      el("span", { class: "note" }, `${timeText(totalMs)} measured, in ${steps.length} steps`),
      el("button", { type: "button", class: "quiet", onclick: () => saveTrace(profile, backend) }, "Save trace"),
    ]),
    place,
  );
}

function chart(bars: readonly Bar[], totalMs: number, onNode: (node: string) => void): HTMLElement {
  const rest = bars.slice(SHOWN);
  const others = { label: `${rest.length} others`, title: "", ms: total(rest), isRest: true };
  const waiting = "inputs, outputs, and waiting for the device";
  const outside = { label: "outside the steps", title: waiting, ms: totalMs - total(bars), isRest: true };
  const shown: readonly Bar[] = [
    ...bars.slice(0, SHOWN),
    ...(rest.length > 0 ? [others] : []),
    ...(outside.ms > totalMs / 100 ? [outside] : []),
  ];
  const most = Math.max(...shown.map(({ ms }) => ms), Number.MIN_VALUE);
  return el("ol", { class: "time-bars" }, ...shown.map((bar) => row(bar, bar.ms / most, totalMs, onNode)));
}

function total(bars: readonly Bar[]): number {
  return bars.reduce((sum, { ms }) => sum + ms, 0);
}

function row(
  { label, title, ms, node, isRest = false }: Bar,
  share: number,
  totalMs: number,
  onNode: (n: string) => void,
): HTMLElement {
  const fill = el("span", { class: "fill" });
  fill.style.transform = `scaleX(${share})`;
  const name =
    node === undefined
      ? el("span", { class: "label", title }, label)
      : el("button", { type: "button", class: "label link", title, onclick: () => onNode(node) }, label);
  const percent = `${((100 * ms) / totalMs).toFixed(1)} %`;
  return el(
    "li",
    isRest ? { class: "rest" } : {},
    name,
    el("span", { class: "bar", "aria-hidden": "true" }, fill),
    el("span", { class: "time" }, timeText(ms)),
    el("span", { class: "percent" }, percent),
  );
}

/** `conv2d + relu`: PyTorch's own ops without their name space. */
function short(ops: string): string {
  return ops.replaceAll("aten::", "");
}

/** A file that https://ui.perfetto.dev opens. */
function saveTrace(profile: Profile, backend: string): void {
  const blob = new Blob([JSON.stringify(traceOf(profile, backend))], { type: "application/json" });
  download(blob, "trace.json");
}
