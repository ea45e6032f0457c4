import { availableParallelism, totalmem } from "node:os";
import { BACKENDS, type KnownBackend } from "../backends.ts";
import type { Command, ExitCode } from "../command.ts";
import type { Options } from "../options.ts";
import { bytesText, table } from "../terminal/table.ts";
import { type Terminal, toJsonText } from "../terminal/terminal.ts";

/** A module of one function that returns a SIMD vector's lane. */
const SIMD_MODULE = Uint8Array.from([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 10, 11, 1, 9, 0, 65, 0, 253, 17, 253, 27, 0, 11,
]);

/** `pt2 doctor` */
export const doctor: Command = {
  name: "doctor",
  summary: "which backends work here, and what to install",
  operands: [],
  options: [],
  notes: "Exits with 1 where no backend works.",

  async run(options: Options, terminal: Terminal): Promise<ExitCode> {
    const backends = await Promise.all(BACKENDS.map(examine));
    const report = {
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      cores: availableParallelism(),
      memory: totalmem(),
      wasmSimd: WebAssembly.validate(SIMD_MODULE),
      backends,
    };
    terminal.out(options.flag("json") ? toJsonText(report) : printReport(report));
    return backends.some(({ works }) => works) ? 0 : 1;
  },
};

interface BackendState {
  readonly name: string;
  readonly works: boolean;
  readonly about: string;
  readonly dtypes: readonly string[];
  /** What to do where it does not work. */
  readonly advice: string | null;
}

async function examine(known: KnownBackend): Promise<BackendState> {
  const { name, about } = known;
  try {
    const backend = await known.create({});
    const { dtypes } = backend.capabilities;
    await backend.dispose();
    return { name, works: true, about, dtypes, advice: null };
  } catch (problem) {
    const absent = (problem as { readonly code?: string }).code === "ERR_MODULE_NOT_FOUND";
    const advice = absent ? `npm install ${known.package}` : (problem as Error).message;
    return { name, works: false, about, dtypes: [], advice };
  }
}

interface DoctorReport {
  readonly node: string;
  readonly platform: string;
  readonly cores: number;
  readonly memory: number;
  readonly wasmSimd: boolean;
  readonly backends: readonly BackendState[];
}

function printReport({ node, platform, cores, memory, wasmSimd, backends }: DoctorReport): string {
  const rows = backends.map(({ name, works, about, advice }) => [works ? "ok" : "no", name, advice ?? about]);
  return [
    `Node ${node} on ${platform}, ${cores} cores, ${bytesText(memory)} memory\n`,
    `WebAssembly SIMD: ${wasmSimd ? "yes" : "no: update Node"}\n`,
    `\nBackends, best first\n${table(rows)}`,
  ].join("");
}
