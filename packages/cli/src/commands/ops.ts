import type { UnsupportedOp } from "@pt2/backend";
import { stats } from "@pt2/graph";
import { prepare } from "@pt2/runtime";
import { chooseBackend } from "../backends.ts";
import type { Command, ExitCode } from "../command.ts";
import { LOAD_OPTIONS, readChosen } from "../open-model.ts";
import type { Options } from "../options.ts";
import { plural } from "../report/text.ts";
import { type Paint, painter } from "../terminal/paint.ts";
import { table } from "../terminal/table.ts";
import { type Terminal, toJsonText } from "../terminal/terminal.ts";
import { registryWith, userOps } from "../user-ops.ts";

/** `pt2 ops` */
export const ops: Command = {
  name: "ops",
  summary: "every op of the program, and whether a backend can run it; exit 1 if it cannot run one",
  operands: ["FILE"],
  options: LOAD_OPTIONS,
  notes: "Ops are counted after all passes. No weights are read.",

  async run(options: Options, terminal: Terminal): Promise<ExitCode> {
    const own = await userOps(options);
    const backend = await chooseBackend(options, terminal);
    try {
      const registry = registryWith(own);
      const program = await prepare(await readChosen(options), registry);
      const missing = await backend.unsupported(program, registry);
      const counts = stats(program.graph).map(({ op, count }) => ({ op, count }));
      const report = { backend: backend.name, ok: missing.length === 0, missing, ops: counts };
      terminal.out(options.flag("json") ? toJsonText(report) : printReport(report, painter(terminal)));
      return report.ok ? 0 : 1;
    } finally {
      await backend.dispose();
    }
  },
};

interface OpsReport {
  readonly backend: string;
  readonly missing: readonly UnsupportedOp[];
  readonly ops: readonly { readonly op: string; readonly count: number }[];
}

function printReport({ backend, missing, ops: counts }: OpsReport, paint: Paint): string {
  const absent = new Set(missing.map(({ op }) => op));
  const rows = counts.map(({ op, count }) => [
    absent.has(op) ? paint("red", "MISSING") : paint("green", "ok"),
    String(count),
    op,
  ]);
  const reasons = missing.flatMap(({ op, where, why }) => [`  ${op}: ${why}\n`, `    first at ${where}\n`]);
  const nodes = missing.reduce((sum, { count }) => sum + count, 0);
  const verdict =
    missing.length === 0
      ? paint("green", `${backend} runs all ops.`)
      : `${backend} cannot run ${plural(missing.length, "op")} (${plural(nodes, "node")}). Pass a handler or an op package to load(), and to pt2 with --ops.`;
  return [
    table(rows, ["left", "right"]),
    missing.length === 0 ? "" : `\nMissing\n${reasons.join("")}`,
    `\n${verdict}\n`,
  ].join("");
}
