import { elementText } from "@pt2/backend";
import { type Archive, openArchive } from "@pt2/format";
import { flatten, importProgram, type Program } from "@pt2/graph";
import { inputsOf, prepare } from "@pt2/runtime";
import { openFile } from "@pt2/runtime/node";
import { chooseBackend, createBackend } from "../backends.ts";
import type { ExitCode } from "../command.ts";
import type { Options } from "../options.ts";
import { sampleCall } from "../report/sample-call.ts";
import { plural } from "../report/text.ts";
import { readCalls } from "../tensors/calls.ts";
import { noInputs } from "../tensors/chosen-calls.ts";
import { type Paint, painter } from "../terminal/paint.ts";
import { type Terminal, toJsonText } from "../terminal/terminal.ts";
import { registryWith, userOps } from "../user-ops.ts";
import { comparePerNode, graphInputs, type PerNodeReport } from "../verify/per-node.ts";
import { ratioText, tolerances } from "../verify/tolerance.ts";

/** `pt2 verify --per-node`: the first call of `--inputs`, or the archive's sample call, value by value. */
export async function verifyPerNode(options: Options, terminal: Terminal): Promise<ExitCode> {
  const own = await userOps(options);
  const model = options.text("model");
  const backend = await chooseBackend(options, terminal);
  const named = options.text("reference");
  const reference = named === undefined ? ("alone" as const) : await createBackend(named, {}, terminal);
  const archive = await openArchive(await openFile(options.file));
  try {
    const registry = registryWith(own);
    const program = await prepare(importProgram(await archive.program(model)), registry);
    const leaves = await chosenLeaves(options, archive, program);
    const weights = await archive.weights(model);
    const report = await comparePerNode({
      backend,
      reference,
      compile: { program, registry, weights },
      inputs: graphInputs(program, leaves),
      tolerance: tolerances(options),
    });
    terminal.out(
      options.flag("json")
        ? toJsonText({ backend: backend.name, ...report })
        : print(report, backend.name, painter(terminal)),
    );
    return report.ok ? 0 : 1;
  } finally {
    await archive.close();
    await backend.dispose();
    if (reference !== "alone") await reference.dispose();
  }
}

async function chosenLeaves(options: Options, archive: Archive, program: Program): Promise<readonly unknown[]> {
  const path = options.text("inputs");
  if (path !== undefined) return (await readCalls(path, inputsOf(program), options.texts("scalar")))[0] ?? [];
  const call = await sampleCall(archive, options.text("model"));
  const { inSpec, namedTuples, forwardArgs } = program;
  if (call === undefined || "leaves" in call || inSpec === null) throw noInputs(options.file, inputsOf(program));
  return flatten(inSpec, call.args ?? [], call.kwargs, { namedTuples, forwardArgs });
}

function print({ checks, first, reference }: PerNodeReport, backend: string, paint: Paint): string {
  const compared = `${plural(checks.length, "value")} of ${backend} against ${reference}`;
  if (first === null) {
    const worst = Math.max(0, ...checks.map(({ comparison }) => comparison.ratio));
    return `${paint("green", "ok")}: ${compared}, worst error ${ratioText(worst)} of the tolerance\n`;
  }
  const { value, where, comparison } = first;
  const { problem, worst, bad, count, ratio } = comparison;
  const element =
    worst === null
      ? problem
      : `worst element [${worst.index.join(", ")}] is ${elementText(worst.actual)}, expected ${elementText(worst.expected)}`;
  const after = checks.filter((check) => !check.comparison.ok).length - 1;
  return [
    `${paint("red", "FAILED")}: ${compared}\n\n`,
    `First to diverge: %${value}, ${where}\n`,
    `  ${element}; ${bad} of ${count} outside, worst error ${ratioText(ratio)} of the tolerance\n`,
    after > 0 ? `  ${plural(after, "later value")} diverge too\n` : "",
  ].join("");
}
