import type { UnsupportedOp } from "@pt2/backend";
import { countText, type ModelReport, plural } from "@pt2/cli";
import { type Child, el } from "../page/dom.ts";
import { table } from "../page/table.ts";
import type { Coverage } from "./coverage.ts";

/** The number of rows shown before the user expands the table. */
const SHOWN = 12;

/** Every op with its count, and whether each backend can run it. */
export function opsOf({ ops }: ModelReport, coverage: readonly Coverage[]): HTMLElement {
  const most = ops[0]?.count ?? 1;
  const rows = ops.map(({ op, count }) => [
    opName(op),
    el("span", { class: "count-bar" }, bar(count / most), el("span", {}, countText(count))),
    ...coverage.map((each) => mark(each, op)),
  ]);
  const columns = ["Op", "Nodes", ...coverage.map(({ offer }) => offer.label)];
  return el(
    "div",
    {},
    el("ul", { class: "verdicts" }, ...coverage.map((each) => el("li", {}, ...verdict(each)))),
    table({ caption: "Ops", columns, rows, most: SHOWN }),
    ...reasons(coverage),
  );
}

function verdict({ offer, missing }: Coverage): readonly Child[] {
  const { label } = offer;
  if (missing === null) return [badge("absent", label), ` ${offer.missing}`];
  if (missing.length === 0) return [badge("yes", label), " runs every op of this program."];
  const nodes = missing.reduce((sum, { count }) => sum + count, 0);
  return [badge("no", label), ` lacks ${plural(missing.length, "op")}, in ${plural(nodes, "node")}.`];
}

/** What cannot run, and why; once for backends that lack the same. */
function reasons(coverage: readonly Coverage[]): readonly HTMLElement[] {
  const groups = new Map<string, { readonly missing: readonly UnsupportedOp[]; readonly labels: string[] }>();
  for (const { offer, missing } of coverage) {
    if (missing === null || missing.length === 0) continue;
    const key = JSON.stringify(missing.map(({ op, why }) => [op, why]));
    const group = groups.get(key) ?? { missing, labels: [] };
    group.labels.push(offer.label);
    groups.set(key, group);
  }
  return [...groups.values()].flatMap(({ missing, labels }) => {
    const caption = `What ${labels.join(" and ")} ${labels.length === 1 ? "lacks" : "lack"}`;
    const rows = missing.map(({ op, count, why, where }) => [el("code", {}, op), String(count), why, where]);
    const columns = ["Op", "Nodes", "Why", "First at"];
    return [el("h3", {}, caption), el("div", { class: "reasons" }, table({ caption, columns, rows, numeric: [1] }))];
  });
}

function badge(kind: string, text: string): HTMLElement {
  return el("span", { class: `badge ${kind}` }, text);
}

function mark({ missing }: Coverage, op: string): HTMLElement {
  if (missing === null) return el("span", { class: "note", role: "img", "aria-label": "not in this browser" }, "—");
  const lacks = missing.some((each) => each.op === op);
  if (!lacks) return el("span", { class: "mark yes", role: "img", "aria-label": "runs" }, "✓");
  return el(
    "span",
    { class: "mark no" },
    el("span", { "aria-hidden": "true" }, "✗ "),
    el("span", { class: "word" }, "missing"),
  );
}

/** A name that is broken where its parts meet, if it has to be. */
function opName(op: string): HTMLElement {
  const parts = op.split(/(?<=::|[._])(?=\w)/);
  return el("code", { class: "op" }, ...parts.flatMap((part, i) => (i === 0 ? [part] : [el("wbr", {}), part])));
}

function bar(share: number): HTMLElement {
  const fill = el("span", { class: "fill" });
  fill.style.transform = `scaleX(${share})`;
  return el("span", { class: "bar", "aria-hidden": "true" }, fill);
}
