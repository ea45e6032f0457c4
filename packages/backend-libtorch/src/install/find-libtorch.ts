import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Pt2Error } from "@pt2/format";
import { type OptionTypes, requireOptions } from "@pt2/format/options";
import { type Environment, installFolder } from "./environment.ts";
import { inspectFolder } from "./inspect-folder.ts";
import { installError, numbered } from "./install-errors.ts";
import { compareVersions, DEFAULT_VERSION, type Libtorch, OLDEST_VERSION } from "./libtorch.ts";
import { pythonChoices, torchOfPython } from "./python-torch.ts";

/** Where {@link findLibtorch} looks. */
export interface FindOptions {
  /** A folder with `include` and `lib`, instead of looking for one. */
  readonly folder?: string | undefined;
  /** @default process.env */
  readonly env?: Environment;
}

/** The options of what finds, compiles and loads the native module, which they pass on to each other. */
export const ADDON_OPTIONS: OptionTypes = {
  folder: "string",
  env: "object",
  nativeFolder: "string",
  onProgress: "function",
};

/** A place that was looked at. */
export interface LibtorchPlace {
  /** `PT2_LIBTORCH`, `VIRTUAL_ENV`, `python3 on the PATH`, `cache`. */
  readonly name: string;
  /** A folder or an interpreter; null where the place does not exist here. */
  readonly path: string | null;
  /** What was found there: the version, or what is wrong. */
  readonly finding: string;
}

/** The outcome of looking for libtorch. */
export interface LibtorchSearch {
  readonly libtorch: Libtorch | undefined;
  /** Every place that was looked at, in order, up to the one that was taken. */
  readonly places: readonly LibtorchPlace[];
}

/** Finds a libtorch, or fails with every place that was looked at. */
export async function findLibtorch(options: FindOptions = {}): Promise<Libtorch> {
  requireOptions("findLibtorch()", options, ADDON_OPTIONS, "backend.options");
  const search = await searchLibtorch(options);
  if (search.libtorch === undefined) throw notFound(search.places);
  return search.libtorch;
}

/**
 * Looks for a libtorch: a named folder (`folder`, else `PT2_LIBTORCH`), which then must be one; torch of the active
 * Python; what `pt2 libtorch install` installed. It reads a few files, and starts an interpreter at most for a Python
 * outside virtual environments.
 */
export async function searchLibtorch(options: FindOptions = {}): Promise<LibtorchSearch> {
  requireOptions("searchLibtorch()", options, ADDON_OPTIONS, "backend.options");
  const places: LibtorchPlace[] = [];
  for await (const candidate of candidates(options)) {
    const { name, path, problem, folder } = candidate;
    if (folder === undefined) {
      places.push({ name, path, finding: problem ?? "nothing" });
      continue;
    }
    const inspection = await inspectFolder(folder);
    const found = "libtorch" in inspection ? inspection.libtorch : undefined;
    places.push({
      name,
      path: folder,
      finding: "problem" in inspection ? inspection.problem : describeLibtorch(inspection.libtorch),
    });
    if (found !== undefined || candidate.only === true) return { libtorch: found, places };
  }
  return { libtorch: undefined, places };
}

/** Describes a libtorch: `torch 2.13.0+cpu, CPU build, new C++ ABI`. */
export function describeLibtorch({ version, build, cxx11Abi }: Libtorch): string {
  return `torch ${version}, ${build === "cuda" ? "CUDA" : "CPU"} build${cxx11Abi ? "" : ", old C++ ABI"}`;
}

interface Candidate {
  readonly name: string;
  readonly path: string | null;
  /** The folder to inspect; undefined where there is none. */
  readonly folder?: string;
  readonly problem?: string;
  /** Whether the user named it, so that no other libtorch may be used. */
  readonly only?: boolean;
}

async function* candidates({ folder, env = process.env }: FindOptions): AsyncGenerator<Candidate> {
  if (folder !== undefined) return yield { name: "the folder given", path: folder, folder, only: true };
  const named = env.PT2_LIBTORCH;
  if (named) return yield { name: "PT2_LIBTORCH", path: named, folder: named, only: true };
  yield { name: "PT2_LIBTORCH", path: null, problem: "not set" };
  for (const { name, path } of await pythonChoices(env)) {
    if (path === undefined) {
      yield { name, path: null, problem: name.endsWith("PATH") ? "none" : "not set" };
      continue;
    }
    const torch = await torchOfPython(path, env);
    yield "folder" in torch ? { name, path, folder: torch.folder } : { name, path, problem: torch.problem };
  }
  const cache = installFolder(env);
  const versions = (await readdir(cache).catch(() => [])).filter((name) => /^\d/.test(name)).sort(compareVersions);
  if (versions.length === 0) yield { name: "cache", path: cache, problem: "nothing installed" };
  for (const version of versions.reverse()) yield { name: "cache", path: cache, folder: join(cache, version, "torch") };
}

function notFound(places: readonly LibtorchPlace[]): Pt2Error {
  const named = places.length === 1 ? places[0]!.name : undefined;
  const remedies = [
    ...(named === undefined
      ? []
      : [`correct ${named}: it must hold include and lib of torch ${OLDEST_VERSION} or later`]),
    ...(named === "PT2_LIBTORCH" ? ["unset PT2_LIBTORCH to have Python and the cache looked at"] : []),
    `npx @pt2/cli libtorch install (torch ${DEFAULT_VERSION} for the CPU, about 200 MB; --cuda for GPUs)`,
    "pip install torch, in a virtual environment that is active, or whose interpreter PT2_PYTHON names",
    ...(named === undefined ? ["PT2_LIBTORCH=FOLDER, for an unpacked libtorch with include and lib"] : []),
  ];
  return installError("libtorch.not-found", {
    what: named === undefined ? "No libtorch was found" : `${named} is not a usable libtorch`,
    where: numbered(places.map(({ name, path, finding }) => `${name}${path === null ? "" : ` (${path})`}: ${finding}`)),
    advice: numbered(remedies),
    details: { places },
  });
}
