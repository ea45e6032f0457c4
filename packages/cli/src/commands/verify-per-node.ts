import { elementText } from "@pt2/backend";
import { openArchive } from "@pt2/format";
import { importProgram } from "@pt2/graph";
import { createRegistry } from "@pt2/registry";
import { atenOnDemand, loading } from "@pt2/registry/on-demand";
import { inputsOf, prepare } from "@pt2/runtime";
import { openFile } from "@pt2/runtime/node";
import { chooseBackend, createBackend } from "../backends.ts";
import type { ExitCode } from "../command.ts";
import type { Options } from "../options.ts";
import { plural } from "../report/text.ts";
import { readCalls } from "../tensors/calls.ts";
import { type Terminal, toJsonText } from "../terminal/terminal.ts";
import { comparePerNode, graphInputs, type PerNodeReport } from "../verify/per-node.ts";
import { ratioText, tolerances } from "../verify/tolerance.ts";

/** `pt2 verify --per-node`: the first call of `--inputs`, value by value. */
export async function verifyPerNode(options: Options, terminal: Terminal): Promise<ExitCode> {
  const path = options.required("inputs");
  const model = options.text("model");
  const backend = await chooseBackend(options, terminal);
  const named = options.text("reference");
  const reference = named === undefined ? ("alone" as const) : await createBackend(named, {}, terminal);
  const archive = await openArchive(await openFile(options.file));
  try {
    const registry = createRegistry({ sets: atenOnDemand });
    const program = await prepare(importProgram(await archive.program(model)), registry);
    const [leaves = []] = await readCalls(path, inputsOf(program), options.texts("scalar"));
    const weights = await archive.weights(model);
    const report = await loading(() =>
      comparePerNode({
        backend,
        reference,
        compile: { program, registry, weights },
        inputs: graphInputs(program, leaves),
        tolerance: tolerances(options),
      }),
    );
    terminal.out(options.flag("json") ? toJsonText({ backend: backend.name, ...report }) : print(report, backend.name));
    return report.ok ? 0 : 1;
  } finally {
    await archive.close();
    await backend.dispose();
    if (reference !== "alone") await reference.dispose();
  }
}

function print({ checks, first, reference }: PerNodeReport, backend: string): string {
  const compared = `${plural(checks.length, "value")} of ${backend} against ${reference}`;
  if (first === null) {
    const worst = Math.max(0, ...checks.map(({ comparison }) => comparison.ratio));
    return `ok: ${compared}, worst error ${ratioText(worst)} of the tolerance\n`;
  }
  const { value, where, comparison } = first;
  const { problem, worst, bad, count, ratio } = comparison;
  const element =
    worst === null
      ? problem
      : `worst element [${worst.index.join(", ")}] is ${elementText(worst.actual)}, expected ${elementText(worst.expected)}`;
  const after = checks.filter((check) => !check.comparison.ok).length - 1;
  return [
    `FAILED: ${compared}\n\n`,
    `First to diverge: %${value}, ${where}\n`,
    `  ${element}; ${bad} of ${count} outside, worst error ${ratioText(ratio)} of the tolerance\n`,
    after > 0 ? `  ${plural(after, "later value")} diverge too\n` : "",
  ].join("");
}
