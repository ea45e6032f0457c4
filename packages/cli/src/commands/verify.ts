import type { DType } from "@pt2/format";
import { stats } from "@pt2/graph";
import type { Command, ExitCode } from "../command.ts";
import { LOAD_OPTIONS, type OpenModel, withModel } from "../open-model.ts";
import type { Options } from "../options.ts";
import { bytesText, plural, timeText } from "../report/text.ts";
import { INPUT_OPTIONS, TENSOR_FILES_NOTE } from "../tensors/calls.ts";
import { type Paint, painter } from "../terminal/paint.ts";
import { table } from "../terminal/table.ts";
import { type Terminal, toJsonText } from "../terminal/terminal.ts";
import { registryWith, userOps } from "../user-ops.ts";
import { computedIn } from "../verify/computed-in.ts";
import { elementTexts } from "../verify/element-texts.ts";
import { chosenExpectedCalls } from "../verify/expected-calls.ts";
import { roundingText } from "../verify/rounding.ts";
import { ratioText, TOLERANCE_OPTIONS, type ToleranceOf, tolerances } from "../verify/tolerance.ts";
import { type ChecksumReport, verifyChecksums } from "../verify/verify-checksums.ts";
import { type OutputCheck, passes, type VerifyReport, verifyModel } from "../verify/verify-model.ts";
import { givenPrecision, verifyPerNode } from "./verify-per-node.ts";

/** `pt2 verify` */
export const verify: Command = {
  name: "verify",
  summary: "compare results with --expected, or with those saved in the file; exit 1 on a difference",
  operands: ["FILE"],
  options: [
    ...INPUT_OPTIONS,
    {
      name: "expected",
      value: "OUT",
      help: "results as .safetensors or .npz, by output name or position (0, 1, …); with --per-node what `pt2 recorder` records",
    },
    ...TOLERANCE_OPTIONS,
    { name: "checksums", help: "compare every entry of the file with its CRC-32, without running the program" },
    { name: "per-node", help: "compare value by value, and name the first node that diverges; needs no --expected" },
    {
      name: "reference",
      value: "B",
      help: "backend to compare with in --per-node; default: the same one, node by node",
    },
    { name: "precision", value: "P", help: "exact or fast; default: fast, and in --per-node --expected exact" },
    ...LOAD_OPTIONS,
  ],
  notes: [
    "Dtypes and shapes must be equal, NaN equals NaN, integers and booleans are compared exactly. The error is shown as a",
    "fraction of the tolerance: |actual - expected| / (atol + rtol × |expected|), which passes up to 1. --per-node",
    "takes the largest element of each tensor for |expected|, and fails where a result of the program differs.",
    "An output that is computed in less than its own dtype, as by autocast, has the tolerance of that, which is said.",
    "With --expected it compares with the values of PyTorch by the names of the nodes, on the recorded inputs.",
    "Outputs that differ only in the order of ties, as indices of topk may, are said to do so and pass; ties are values that",
    "follow one another in a sorted output, each within the tolerance of the one before it.",
    "Without --inputs the archive's own sample inputs are taken, without --expected the results that it keeps.",
    TENSOR_FILES_NOTE,
  ].join("\n"),

  async run(options: Options, terminal: Terminal): Promise<ExitCode> {
    if (options.flag("checksums")) {
      const report = await verifyChecksums(options.file);
      terminal.out(options.flag("json") ? toJsonText(report) : printChecksums(report, painter(terminal)));
      return report.ok ? 0 : 1;
    }
    if (options.flag("per-node")) return await verifyPerNode(options, terminal);
    const tolerance = tolerances(options);
    const verify = async ({ model, loadMs }: OpenModel): Promise<ExitCode> => {
      const calls = await chosenExpectedCalls(options, model);
      const registry = registryWith(await userOps(options));
      await registry.load(stats(model.program.graph).map(({ op }) => op));
      const report = await verifyModel(model, { calls, tolerance, computedIn: computedIn(model.program, registry) });
      terminal.out(
        options.flag("json")
          ? toJsonText({ backend: model.backend, loadMs, ...report })
          : printReport(report, { loadMs, tolerance, paint: painter(terminal) }),
      );
      return report.ok ? 0 : 1;
    };
    return await withModel(options, terminal, verify, givenPrecision(options));
  },
};

function printChecksums({ ok, entries, bytes, damaged }: ChecksumReport, paint: Paint): string {
  const lines = damaged.map((name) => `${paint("red", "FAIL")}  ${name}\n`);
  const verdict = ok ? paint("green", "ok") : `${paint("red", "FAILED")}: ${damaged.length}`;
  const what = ok ? "match their checksums" : "are damaged: copy or download the file again";
  const of = ok ? `: ${plural(entries, "entry", "entries")}` : ` of ${plural(entries, "entry", "entries")}`;
  return `${lines.join("")}${verdict}${of}, ${bytesText(bytes)}, ${what}\n`;
}

interface Printing {
  readonly loadMs: number;
  readonly tolerance: ToleranceOf;
  readonly paint: Paint;
}

function printReport(
  { ok, calls, checks, unchecked, ratio, runMs }: VerifyReport,
  { loadMs, tolerance, paint }: Printing,
): string {
  const header = ["", "output", "type", "error", "max abs", "outside"];
  const rows = checks.map((check) => [
    check.tiesOf !== undefined ? paint("yellow", "ties") : passes(check) ? paint("green", "ok") : paint("red", "FAIL"),
    nameOf(check, calls),
    check.type,
    ...numbers(check),
  ]);
  const worst = checks.filter((check) => !passes(check)).map((check) => `  ${explain(check, calls)}\n`);
  const ties = checks
    .filter(({ tiesOf }) => tiesOf !== undefined)
    .map((check) => `  ${nameOf(check, calls)}: only the order of ties differs, those of ${check.tiesOf}\n`);
  const computed = new Set(
    checks.flatMap(({ name, computedIn: dtype }) =>
      dtype === undefined ? [] : [`  ${name}: ${computedText(dtype, tolerance)}\n`],
    ),
  );
  const times = `load ${timeText(loadMs)}, run ${runMs.map(timeText).join(", ")}`;
  return [
    table([header, ...rows], ["left", "left", "left", "right", "right", "right"]),
    computed.size > 0 ? `\n${[...computed].join("")}` : "",
    worst.length > 0 ? `\n${worst.join("")}` : "",
    ties.length > 0 ? `\n${ties.join("")}` : "",
    unchecked.length > 0 ? `\nNo results were expected for ${unchecked.join(", ")}.\n` : "",
    `\n${ok ? paint("green", "ok") : paint("red", "FAILED")}: ${plural(checks.length, "output")} of ${plural(calls, "call")}, worst error ${ratioText(ratio)} of the tolerance; ${times}\n`,
  ].join("");
}

/** Says which tolerance an output has that is computed in a dtype which is less precise than its own. */
function computedText(dtype: DType, toleranceOf: ToleranceOf): string {
  const { rtol, atol } = toleranceOf(dtype);
  return `computed in ${dtype}, which decides on the tolerance: rtol ${rtol}, atol ${atol}`;
}

function numbers({ comparison: { problem, ratio, maxAbs, bad, count } }: OutputCheck): readonly string[] {
  if (problem !== undefined) return ["-", "-", "-"];
  return [ratioText(ratio), maxAbs.toExponential(1), `${bad} of ${count}`];
}

function nameOf({ call, name }: OutputCheck, calls: number): string {
  return calls > 1 ? `call ${call}: ${name}` : name;
}

function explain(check: OutputCheck, calls: number): string {
  const { problem, worst } = check.comparison;
  const name = nameOf(check, calls);
  if (worst === null) return `${name}: ${problem}`;
  const { index, expected, actual } = worst;
  const [is, wanted] = elementTexts(actual, expected);
  const element = `worst element [${index.join(", ")}] is ${is}, expected ${wanted}`;
  const rounding = check.rounding === undefined ? "" : `\n    ${roundingText(check.rounding)}`;
  return `${name}: ${element}${rounding}`;
}
