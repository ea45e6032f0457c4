import type { Backend } from "@pt2/backend";
import { flatten, type Program } from "@pt2/graph";
import { type Constant, inputsOf, type ProgramSource, prepare } from "@pt2/runtime";
import { chooseBackend, createBackend } from "../backends.ts";
import { cliError, usageError } from "../cli-errors.ts";
import type { ExitCode } from "../command.ts";
import { openChosen } from "../open-model.ts";
import type { Options } from "../options.ts";
import { readCalls, withScalars } from "../tensors/calls.ts";
import { noInputs } from "../tensors/chosen-calls.ts";
import { readSampleCall } from "../tensors/sample-call.ts";
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
  const path = options.path("expected");
  const precision = givenPrecision(options) ?? "exact";
  if (path !== undefined && options.text("reference") !== undefined)
    throw usageError("--per-node compares with --expected or with --reference, not with both");
  if (path === undefined && options.text("precision") !== undefined)
    throw usageError("--precision needs --per-node --expected");
  const recorded = path === undefined ? undefined : await readRecordedNodes(path);
  const own = await userOps(options);
  const backend = await chooseBackend(options, terminal);
  try {
    const source = await openChosen(options);
    try {
      const run: Run = { options, terminal, own, backend, ...(await preparedOf(source, own)) };
      return recorded === undefined ? await verifyReference(run) : await verifyRecorded(run, recorded, precision);
    } finally {
      await source.close();
    }
  } finally {
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
}

async function preparedOf({ program, weights }: ProgramSource, own: UserOps): Promise<Opened> {
  const registry = registryWith(own);
  const imported = qualifyNames(program);
  return { imported, compile: { program: await prepare(imported, registry), registry, weights } };
}

async function verifyReference({ options, terminal, own, backend, compile }: Run): Promise<ExitCode> {
  const { program } = compile;
  const named = options.text("reference");
  const reference = named === undefined ? ("alone" as const) : await createBackend(named, {}, terminal, options.config);
  try {
    const report = await comparePerNode({
      backend,
      reference,
      compile,
      ...(reference !== "alone" && { referenceRegistry: await referenceRegistry(own, reference, program) }),
      inputs: graphInputs(program, await chosenLeaves(options, program)),
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
  const { options, terminal, backend, imported, compile } = run;
  const own = options.path("inputs") === undefined ? recordedInputs(compile.program, recorded) : undefined;
  if (own !== undefined && options.texts("scalar").length > 0) {
    const advice = "omit --scalar, or pass the tensors too with --inputs";
    throw usageError("--scalar changes nothing here: the program runs on the recorded inputs", advice);
  }
  const inputs = own ?? graphInputs(compile.program, await chosenLeaves(options, compile.program));
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

/** Returns the precision that `--precision` names. */
export function givenPrecision(options: Options): Precision | undefined {
  const text = options.text("precision");
  if (text === undefined || text === "exact" || text === "fast") return text;
  throw usageError(`--precision is exact or fast, not "${text}"`);
}

async function chosenLeaves(options: Options, program: Program): Promise<readonly unknown[]> {
  const inputs = inputsOf(program);
  const leaves = await givenLeaves(options, program);
  // The graph has no place for a constant, so that another value than its own would change nothing.
  for (const [at, { name, type }] of inputs.entries()) {
    if (type.kind === "constant") requireConstant(name, type.value, leaves[at], options.file);
  }
  return leaves;
}

async function givenLeaves(options: Options, program: Program): Promise<readonly unknown[]> {
  const [path, scalars, inputs] = [options.path("inputs"), options.texts("scalar"), inputsOf(program)];
  if (path !== undefined) return (await readCalls(path, inputs, scalars))[0] ?? [];
  const call = await readSampleCall(options);
  const { inSpec, namedTuples, forwardArgs } = program;
  if (call === undefined || "leaves" in call || inSpec === null) throw noInputs(options.file, inputs);
  const sample = flatten(inSpec, call.args ?? [], call.kwargs, { namedTuples, forwardArgs });
  return withScalars(sample, inputs, scalars, options.file);
}

function requireConstant(name: string, fixed: Constant, given: unknown, where: string): void {
  // A whole number may be a bigint.
  if (given === undefined || given === null || String(given) === String(fixed)) return;
  throw cliError("cli.inputs", {
    what: `Input \`${name}\` was fixed to ${fixed} at export and cannot be ${given}`,
    where,
    advice: "omit it, or export the program again with another value",
  });
}
