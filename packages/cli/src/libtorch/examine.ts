import type { Libtorch, LibtorchInfo, LibtorchPlace } from "@pt2/backend-libtorch/node";
import { bytesText } from "../report/text.ts";
import { table } from "../terminal/table.ts";

/** What `pt2 doctor` knows about libtorch. */
export interface LibtorchReport {
  /** Every place that was looked at; the last one is where it was found. */
  readonly places: readonly LibtorchPlace[];
  readonly found: Libtorch | null;
  /** The compiled native module; null where it has to be compiled first. */
  readonly addon: string | null;
  /** What the native module says; null where it is not compiled. */
  readonly info: LibtorchInfo | null;
  /** Why the native module cannot be loaded. */
  readonly problem: string | null;
}

/** Looks for libtorch and its native module, and asks it what it can do. Null where the package is not installed. */
export async function examineLibtorch(): Promise<LibtorchReport | null> {
  const module = await import("@pt2/backend-libtorch/node").catch(() => undefined);
  if (module === undefined) return null;
  const { places, libtorch } = await module.searchLibtorch();
  const addon = (await module.findBuiltAddon())?.file ?? null;
  const report = { places, found: libtorch ?? null, addon, info: null, problem: null };
  if (addon === null) return report;
  try {
    return { ...report, info: (await module.loadAddon()).addon.info() };
  } catch (problem) {
    return { ...report, problem: (problem as Error).message };
  }
}

/** The report as text. */
export function printLibtorch({ places, found, addon, info, problem }: LibtorchReport): string {
  const looked = places.map(({ name, path, finding }) => [name, finding, path ?? ""]);
  return [
    `\nlibtorch: ${found === null ? "none found; `npx @pt2/cli libtorch install` gets one" : found.version}\n${table(looked)}`,
    found === null ? "" : `\nNative module: ${addon ?? "not compiled yet; `npx @pt2/cli libtorch build` does"}\n`,
    problem === null ? "" : `${problem}\n`,
    info === null ? "" : table(rowsOf(info)),
  ].join("");
}

function rowsOf({ version, threads, cpuCapability, mkldnn, mkl, cuda }: LibtorchInfo): readonly (readonly string[])[] {
  const yes = (is: boolean): string => (is ? "yes" : "no");
  const rows = [
    ["version", version],
    ["CPU", `${cpuCapability}, ${threads} threads, oneDNN ${yes(mkldnn)}, MKL ${yes(mkl)}`],
  ];
  if (typeof cuda === "string") return [...rows, ["CUDA", cuda]];
  const devices = cuda.devices.map(({ name, totalBytes, capability }, i) => [
    `cuda:${i}`,
    `${name}, ${bytesText(totalBytes)}, compute capability ${capability}`,
  ]);
  return [...rows, ["CUDA", devices.length === 0 ? `${cuda.version}, no device` : cuda.version], ...devices];
}
