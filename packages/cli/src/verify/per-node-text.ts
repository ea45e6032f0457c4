import type { Comparison } from "@pt2/backend";
import { plural } from "../report/text.ts";
import type { Paint } from "../terminal/paint.ts";
import { elementTexts } from "./element-texts.ts";
import type { Divergence, OperandCheck } from "./first-divergence.ts";
import type { PerNodeReport } from "./per-node.ts";
import type { RecordedReport } from "./per-node-recorded.ts";
import { ratioText } from "./tolerance.ts";

/** Describes a comparison node by node. */
export function perNodeText(report: PerNodeReport, backend: string, paint: Paint): string {
  const { checks, first, reference } = report;
  const compared = `${plural(checks.length, "value")} of ${backend} against ${reference}`;
  if (first === null) {
    const worst = Math.max(0, ...checks.map(({ comparison }) => comparison.ratio));
    return `${paint("green", "ok")}: ${compared}, worst error ${ratioText(worst)} of the tolerance\n`;
  }
  const after = checks.filter((check) => !check.comparison.ok).length - 1;
  return [
    `${paint("red", "FAILED")}: ${compared}\n\n`,
    `First to diverge: %${first.value}, ${first.where}\n`,
    `  ${differenceOf(first.comparison)}\n`,
    ...faultOf(first).map((line) => `  ${line}\n`),
    after > 0 ? `  ${plural(after, "later value diverges", "later values diverge")} too\n` : "",
  ].join("");
}

/** Describes a comparison with recorded values: what was not compared stands at the end. */
export function recordedText(report: RecordedReport, backend: string, paint: Paint): string {
  const { unmatched, unrecorded, precision } = report;
  const { removed, hidden, unknown } = unmatched;
  const notes = [
    noteOf("recorded, and not in the program", unknown),
    noteOf(`recorded, and not computed by itself in this run (${precision})`, hidden),
    noteOf("recorded, and removed before a run, such as no-ops and dead code", removed),
    noteOf("in the program, and not recorded", unrecorded),
  ].filter((note) => note !== "");
  const list = notes.length === 0 ? "" : `\nNot compared:\n${notes.map((note) => `  ${note}\n`).join("")}`;
  return `${perNodeText(report, backend, paint)}${list}`;
}

/** The number of names that a note shows; `--json` has all. */
const SHOWN = 3;

function noteOf(what: string, names: readonly string[]): string {
  if (names.length === 0) return "";
  const shown = names.slice(0, SHOWN).map((name) => `%${name}`);
  return `${what}: ${plural(names.length, "value")} (${shown.join(", ")}${names.length > SHOWN ? ", …" : ""})`;
}

function differenceOf({ problem, worst, bad, count, ratio }: Comparison): string {
  if (worst === null) return `${problem}`;
  const [is, expected] = elementTexts(worst.actual, worst.expected);
  return `worst element [${worst.index.join(", ")}] is ${is}, expected ${expected}; ${bad} of ${count} outside, worst error ${ratioText(ratio)} of the tolerance`;
}

function faultOf({ operands, fault, fused }: Divergence): readonly string[] {
  const given = operands.length === 0 ? [] : [`operands: ${operands.map(operandText).join(", ")}`];
  if (fused) return [...given, "node by node every value agrees: the fusion of a whole run makes the difference"];
  if (fault === "here")
    return [...given, "given the expected operands, this node alone diverges too: the fault is here"];
  if (fault === "random") return [...given, "this node gives another result in every run: random numbers cannot agree"];
  if (fault === "before")
    return [...given, `given the expected operands, this node alone agrees: ${causeOf(operands)}`];
  return given;
}

/** What makes a node diverge that agrees alone. */
function causeOf(operands: readonly OperandCheck[]): string {
  const open = operands.filter(({ kind, comparison }) => kind === "node" && comparison === null);
  if (open.length > 0) return `the fault may be before ${open.map(({ value }) => `%${value}`).join(", ")}`;
  if (operands.some(({ comparison }) => comparison !== null && comparison.ratio > 0))
    return "small errors of its operands grow here";
  return "the rest of the program changes what it computes";
}

function operandText({ value, kind, comparison }: OperandCheck): string {
  if (comparison !== null)
    return `%${value} ${comparison.ok ? "agrees" : "diverges"} (${ratioText(comparison.ratio)} of the tolerance)`;
  return `%${value} ${kind === "node" ? "was not compared" : `is ${kind === "input" ? "an input" : "a weight"}`}`;
}
