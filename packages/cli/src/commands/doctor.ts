import { availableParallelism, totalmem } from "node:os";
import { backendsOf, type KnownBackend, obstacleOf } from "../backends.ts";
import type { Command, ExitCode } from "../command.ts";
import { examineLibtorch, type LibtorchReport, printLibtorch } from "../libtorch/examine.ts";
import { CONFIG_OPTION } from "../load-config.ts";
import type { Options } from "../options.ts";
import { bytesText } from "../report/text.ts";
import { type Paint, painter } from "../terminal/paint.ts";
import { table } from "../terminal/table.ts";
import { type Terminal, toJsonText } from "../terminal/terminal.ts";

/** A module with one function that uses SIMD. */
const SIMD_MODULE = Uint8Array.from([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 10, 11, 1, 9, 0, 65, 0, 253, 17, 253, 27, 0, 11,
]);

/** A module with one function that multiplies and adds in one instruction. */
const RELAXED_SIMD_MODULE = Uint8Array.from([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 19, 1, 17, 0, 65, 0, 253, 15, 65, 0, 253, 15, 65,
  0, 253, 15, 253, 133, 2, 11,
]);

/** `pt2 doctor` */
export const doctor: Command = {
  name: "doctor",
  summary: "which backends work here, and what to install",
  operands: [],
  options: [CONFIG_OPTION],
  notes: "Exits with 1 where no backend works.",

  async run(options: Options, terminal: Terminal): Promise<ExitCode> {
    const backends = await Promise.all(backendsOf(options.config).map((known) => examine(known, terminal)));
    const report = {
      node: process.version,
      runtime: runtimeText(),
      platform: `${process.platform} ${process.arch}`,
      cores: availableParallelism(),
      memory: totalmem(),
      wasmSimd: WebAssembly.validate(SIMD_MODULE),
      wasmRelaxedSimd: WebAssembly.validate(RELAXED_SIMD_MODULE),
      backends,
      libtorch: await examineLibtorch(),
    };
    terminal.out(options.flag("json") ? toJsonText(report) : printReport(report, painter(terminal)));
    return backends.some(({ works }) => works) ? 0 : 1;
  },
};

interface BackendState {
  readonly name: string;
  readonly works: boolean;
  readonly about: string;
  readonly dtypes: readonly string[];
  /** Advice where the backend does not work. */
  readonly advice: string | null;
}

async function examine(known: KnownBackend, terminal: Terminal): Promise<BackendState> {
  const { name, about } = known;
  const obstacle = await obstacleOf(known);
  if (obstacle !== undefined) return { name, works: false, about, dtypes: [], advice: obstacle };
  try {
    const backend = await known.create({}, terminal);
    const { dtypes } = backend.capabilities;
    await backend.dispose();
    return { name, works: true, about, dtypes, advice: null };
  } catch (problem) {
    return { name, works: false, about, dtypes: [], advice: (problem as Error).message };
  }
}

/** Bun and Deno give the version of the Node that they are like. */
function runtimeText(): string {
  const { bun, deno } = process.versions as { readonly bun?: string; readonly deno?: string };
  const other = bun === undefined ? deno && `Deno ${deno}` : `Bun ${bun}`;
  return other === undefined ? `Node ${process.version}` : `${other} (as Node ${process.version})`;
}

interface DoctorReport {
  readonly node: string;
  readonly runtime: string;
  readonly platform: string;
  readonly cores: number;
  readonly memory: number;
  readonly wasmSimd: boolean;
  readonly wasmRelaxedSimd: boolean;
  readonly backends: readonly BackendState[];
  /** Null where @pt2/backend-libtorch is not installed. */
  readonly libtorch: LibtorchReport | null;
}

function printReport(
  { runtime, platform, cores, memory, wasmSimd, wasmRelaxedSimd, backends, libtorch }: DoctorReport,
  paint: Paint,
): string {
  const rows = backends.map(({ name, works, about, advice }) => [
    works ? paint("green", "ok") : paint("red", "no"),
    name,
    advice ?? about,
  ]);
  return [
    `${runtime} on ${platform}, ${cores} cores, ${bytesText(memory)} memory\n`,
    `WebAssembly SIMD: ${wasmSimd ? "yes" : "no: update Node"}\n`,
    `WebAssembly relaxed SIMD: ${wasmRelaxedSimd ? "yes" : "no: products take 0.7 of the time from Node 24 on"}\n`,
    `\nBackends, best first\n${table(rows)}`,
    libtorch === null ? "" : printLibtorch(libtorch),
  ].join("");
}
