import type { Backend } from "@pt2/backend";
import { type Archive, openArchive } from "@pt2/format";
import { flatten, importProgram, type Program } from "@pt2/graph";
import { inputsOf, prepare } from "@pt2/runtime";
import { openFile } from "@pt2/runtime/node";
import { chooseBackend, createBackend } from "../backends.ts";
import { usageError } from "../cli-errors.ts";
import type { ExitCode } from "../command.ts";
import type { Options } from "../options.ts";
import { sampleCall } from "../report/sample-call.ts";
import { readCalls } from "../tensors/calls.ts";
import { noInputs } from "../tensors/chosen-calls.ts";
import { painter } from "../terminal/paint.ts";
import { type Terminal, toJsonText } from "../terminal/terminal.ts";
import { referenceRegistry, registryWith, type UserOps, userOps } from "../user-ops.ts";
import { comparePerNode, graphInputs } from "../verify/per-node.ts";
import { compareWithRecorded, recordedInputs } from "../verify/per-node-recorded.ts";
import { perNodeText, recordedText } from "../verify/per-node-text.ts";
import type { Precision } from "../verify/program-values.ts";
import { qualifyNames } from "../verify/qualified-names.ts";
import { type RecordedNodes, readRecordedNodes } from "../verify/recorded-nodes.ts";
import { tolerances } from "../verify/tolerance.ts";

/** `pt2 verify --per-node`: the first call of `--inputs`, or the archive's sample call, value by value. */
export async function verifyPerNode(options: Options, terminal: Terminal): Promise<ExitCode> {
  const path = options.text("expected");
  const precision = precisionOf(options);
  if (path !== undefined && options.text("reference") !== undefined)
    throw usageError("--per-node compares with --expected or with --reference, not with both");
  if (path === undefined && options.text("precision") !== undefined)
    throw usageError("--precision needs --per-node --expected");
  const recorded = path === undefined ? undefined : await readRecordedNodes(path);
  const own = await userOps(options);
  const backend = await chooseBackend(options, terminal);
  const archive = await openArchive(await openFile(options.file));
  try {
    const opened = await openProgram(options, archive, own);
    const run: Run = { options, terminal, own, backend, archive, ...opened };
    return recorded === undefined ? await verifyReference(run) : await verifyRecorded(run, recorded, precision);
  } finally {
    await archive.close();
    await backend.dispose();
  }
}

interface Opened {
  /** The program as the file has it, with qualified names. */
  readonly imported: Program;
  readonly compile: Parameters<typeof comparePerNode>[0]["compile"];
}

interface Run extends Opened {
  readonly options: Options;
  readonly terminal: Terminal;
  readonly own: UserOps;
  readonly backend: Backend;
  readonly archive: Archive;
}

async function openProgram(options: Options, archive: Archive, own: UserOps): Promise<Opened> {
  const model = options.text("model");
  const registry = registryWith(own);
  const imported = qualifyNames(importProgram(await archive.program(model)));
  const program = await prepare(imported, registry);
  return { imported, compile: { program, registry, weights: await archive.weights(model) } };
}

async function verifyReference({ options, terminal, own, backend, archive, compile }: Run): Promise<ExitCode> {
  const { program } = compile;
  const named = options.text("reference");
  const reference = named === undefined ? ("alone" as const) : await createBackend(named, {}, terminal, options.config);
  try {
    const report = await comparePerNode({
      backend,
      reference,
      compile,
      ...(reference !== "alone" && { referenceRegistry: await referenceRegistry(own, reference, program) }),
      inputs: graphInputs(program, await chosenLeaves(options, archive, program)),
      tolerance: tolerances(options),
    });
    terminal.out(
      options.flag("json")
        ? toJsonText({ backend: backend.name, ...report })
        : perNodeText(report, backend.name, painter(terminal)),
    );
    return report.ok ? 0 : 1;
  } finally {
    if (reference !== "alone") await reference.dispose();
  }
}

async function verifyRecorded(run: Run, recorded: RecordedNodes, precision: Precision): Promise<ExitCode> {
  const { options, terminal, backend, archive, imported, compile } = run;
  const own = options.text("inputs") === undefined ? recordedInputs(compile.program, recorded) : undefined;
  const inputs = own ?? graphInputs(compile.program, await chosenLeaves(options, archive, compile.program));
  const report = await compareWithRecorded({
    backend,
    recorded,
    imported,
    compile,
    inputs,
    precision,
    tolerance: tolerances(options),
  });
  terminal.out(
    options.flag("json")
      ? toJsonText({ backend: backend.name, ...report })
      : recordedText(report, backend.name, painter(terminal)),
  );
  return report.ok ? 0 : 1;
}

function precisionOf(options: Options): Precision {
  const text = options.text("precision") ?? "exact";
  if (text === "exact" || text === "fast") return text;
  throw usageError(`--precision is exact or fast, not "${text}"`);
}

async function chosenLeaves(options: Options, archive: Archive, program: Program): Promise<readonly unknown[]> {
  const path = options.text("inputs");
  if (path !== undefined) return (await readCalls(path, inputsOf(program), options.texts("scalar")))[0] ?? [];
  const call = await sampleCall(archive, options.text("model"));
  const { inSpec, namedTuples, forwardArgs } = program;
  if (call === undefined || "leaves" in call || inSpec === null) throw noInputs(options.file, inputsOf(program));
  return flatten(inSpec, call.args ?? [], call.kwargs, { namedTuples, forwardArgs });
}
