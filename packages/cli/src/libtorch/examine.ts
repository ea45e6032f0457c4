import type { Libtorch, LibtorchInfo, LibtorchPlace } from "@pt2/backend-libtorch/node";
import { libtorchPackage } from "../optional-package.ts";
import { bytesText } from "../report/text.ts";
import { table } from "../terminal/table.ts";

/** The libtorch section of `pt2 doctor`. */
export interface LibtorchReport {
  /** Every place that was searched; the last one is where libtorch was found. */
  readonly places: readonly LibtorchPlace[];
  readonly found: Libtorch | null;
  /** The path of the compiled native module; null where it is not compiled. */
  readonly addon: string | null;
  /** The properties that the native module reports; null where it is not compiled. */
  readonly info: LibtorchInfo | null;
  /** The error of loading the native module. */
  readonly problem: string | null;
}

/**
 * Searches for libtorch and its native module, and loads the module. Returns null where the package is not installed.
 */
export async function examineLibtorch(): Promise<LibtorchReport | null> {
  const module = await libtorchPackage().catch(() => undefined);
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

/** Formats the report as text. */
export function printLibtorch({ places, found, addon, info, problem }: LibtorchReport): string {
  const looked = places.map(({ name, path, finding }) => [name, finding, path ?? ""]);
  return [
    `\nlibtorch: ${found === null ? "none found; `npx @pt2/cli libtorch install` installs one" : found.version}\n${table(looked)}`,
    found === null
      ? ""
      : `\nNative module: ${addon ?? "not compiled yet; `npx @pt2/cli libtorch build` compiles it"}\n`,
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
