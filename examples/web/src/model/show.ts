import { graphView } from "../graph/view.ts";
import { el } from "../page/dom.ts";
import { runPanel } from "../run/panel.ts";
import { type Coverage, coverageOf, offersFor } from "./coverage.ts";
import { readDetails } from "./details.ts";
import { factsOf } from "./facts.ts";
import type { OpenFile } from "./open.ts";
import { opsOf } from "./ops.ts";
import { signatureOf } from "./signature.ts";
import { weightsOf } from "./weights.ts";

/** Everything that the page shows of a model. */
export interface ShownModel {
  readonly element: HTMLElement;
  /** Ends what it does and frees what it loaded. */
  dispose(): Promise<void>;
}

/** Reads a model of an open file and shows it; its weights are read when it is run. */
export async function showModel(file: OpenFile, name: string): Promise<ShownModel> {
  const details = await readDetails(file, name);
  const { report, program } = details;
  const graph = graphView(program);
  const graphCard = card("graph", "Graph", graph.element);
  const coverage = await coverageOf(program);
  const run = runPanel(details, offersFor(coverage), {
    onNode(node) {
      graph.reveal(node);
      graphCard.scrollIntoView({ block: "start" });
    },
    onProfile: (profile) => graph.showTimes(profile.steps),
  });
  const element = el(
    "div",
    { class: "model-body" },
    factsOf(details),
    el(
      "nav",
      { class: "sections", "aria-label": "Sections of the model" },
      ...SECTIONS.map(([id, title]) =>
        el("button", { type: "button", class: "quiet", onclick: () => jump(id) }, title),
      ),
    ),
    card("run", "Run", el("div", {}, run.element, lacksSomething(coverage))),
    graphCard,
    el(
      "div",
      { class: "columns" },
      card("signature", "Inputs and outputs", signatureOf(report)),
      card("weights", "Weights", weightsOf(details)),
    ),
    card("ops", "Operators", opsOf(report, coverage)),
  );
  const dispose = async (): Promise<void> => {
    graph.dispose();
    await run.dispose();
  };
  return { element, dispose };
}

const SECTIONS = [
  ["run", "Run"],
  ["graph", "Graph"],
  ["signature", "Inputs and outputs"],
  ["weights", "Weights"],
  ["ops", "Operators"],
] as const;

/** Leads to the list of what is missing, where something is. */
function lacksSomething(coverage: readonly Coverage[]): HTMLElement | null {
  if (!coverage.some(({ missing }) => (missing?.length ?? 0) > 0)) return null;
  const link = el("button", { type: "button", class: "link", onclick: () => jump("ops") }, "See which ops, and where");
  return el("p", { class: "note lacks" }, link);
}

function card(id: string, title: string, content: HTMLElement): HTMLElement {
  return el(
    "section",
    { class: "card", id: `section-${id}`, "aria-labelledby": `title-${id}` },
    el("h2", { id: `title-${id}`, tabindex: -1 }, title),
    content,
  );
}

function jump(id: string): void {
  document.getElementById(`section-${id}`)!.scrollIntoView({ block: "start" });
  document.getElementById(`title-${id}`)!.focus({ preventScroll: true });
}
