import { plural, timesByOp, timeText, traceOf } from "@pt2/cli";
import type { Profile } from "@pt2/runtime";
import { el } from "../page/dom.ts";
import { download } from "../page/download.ts";
import { toolbar } from "../page/toolbar.ts";

/** Bars that are shown; the rest is one more. */
const SHOWN = 14;

interface Bar {
  readonly label: string;
  readonly ms: number;
  /** The node that it is about. */
  readonly node?: string;
  /** Not an op. */
  readonly isRest?: boolean;
}

/** Time per op and per node as bars. `onNode` shows a node in the graph. */
export function timings(profile: Profile, backend: string, onNode: (node: string) => void): HTMLElement {
  const { steps } = profile;
  const byOp = timesByOp(steps).map(({ ops, count, ms }) => ({
    label: count === 1 ? short(ops) : `${short(ops)} ×${count}`,
    ms,
  }));
  const byNode = steps
    .toSorted((a, b) => b.ms - a.ms)
    .map(({ node, ops, ms }) => ({ label: `${node} · ${short(ops.join(" + "))}`, ms, node }));
  const place = el("div", {}, chart(byOp, onNode));
  const choice = (label: string, bars: readonly Bar[], checked: boolean): HTMLElement => {
    const choose = (): void => place.replaceChildren(chart(bars, onNode));
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
      el("button", { type: "button", class: "quiet", onclick: () => saveTrace(profile, backend) }, "Save trace"),
    ]),
    el("p", { class: "note" }, wholeText(profile)),
    place,
  );
}

/** What the bars add up to, and what is not in them. */
function wholeText({ steps, totalMs }: Profile): string {
  if (steps.length === 0) return "No step computes anything.";
  const inside = total(steps);
  const whole = `${timeText(inside)} in ${plural(steps.length, "step")}`;
  const outside = totalMs - inside;
  if (outside < totalMs / 100) return `${whole}.`;
  return `${whole}; ${timeText(outside)} around them, for inputs, outputs, measuring and waiting for the device.`;
}

function chart(bars: readonly Bar[], onNode: (node: string) => void): HTMLElement {
  const rest = bars.slice(SHOWN);
  const others = { label: `${rest.length} others`, ms: total(rest), isRest: true };
  const shown: readonly Bar[] = [...bars.slice(0, SHOWN), ...(rest.length > 0 ? [others] : [])];
  const [most, all] = [Math.max(...shown.map(({ ms }) => ms)), total(bars)].map((ms) => ms || Number.MIN_VALUE);
  return el("ol", { class: "time-bars" }, ...shown.map((bar) => row(bar, bar.ms / most!, bar.ms / all!, onNode)));
}

function total(bars: readonly Pick<Bar, "ms">[]): number {
  return bars.reduce((sum, { ms }) => sum + ms, 0);
}

function row(
  { label, ms, node, isRest = false }: Bar,
  length: number,
  share: number,
  onNode: (n: string) => void,
): HTMLElement {
  const fill = el("span", { class: "fill" });
  fill.style.transform = `scaleX(${length})`;
  const name =
    node === undefined
      ? el("span", { class: "label" }, label)
      : el("button", { type: "button", class: "label link", onclick: () => onNode(node) }, label);
  return el(
    "li",
    isRest ? { class: "rest" } : {},
    name,
    el("span", { class: "bar", "aria-hidden": "true" }, fill),
    el("span", { class: "time" }, timeText(ms)),
    el("span", { class: "percent" }, `${(100 * share).toFixed(1)} %`),
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
