import { Pt2Error } from "@pt2/format";
import { type OpName, type Program, stats } from "@pt2/graph";
import type { OpRegistry } from "@pt2/registry";
import type { LibtorchInfo } from "./addon.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { type CudaSources, kernelSourcesOf, type LibtorchSources } from "./handlers/kernel.ts";
import { buildLibrary, type LibrarySources } from "./install/build-library.ts";
import { compareVersions, type Libtorch } from "./install/libtorch.ts";
import { loadAddon } from "./install/load-addon.ts";
import { libraryPath } from "./library-path.ts";

/** The libraries that op sets bring as sources: compiled and loaded when a program needs them. */
export class SourceLibraries {
  readonly #dispatcher: Dispatcher;
  readonly #load: (path: string) => void;
  /** Why a library is not there; null for one that is, or is not needed. */
  readonly #outcomes = new WeakMap<LibtorchSources, Promise<string | null>>();

  constructor(dispatcher: Dispatcher, load: (path: string) => void) {
    this.#dispatcher = dispatcher;
    this.#load = load;
  }

  /** Compiles and loads what a program needs. It returns a sentence for each library that cannot be had. */
  async provide({ graph }: Program, registry: OpRegistry): Promise<readonly string[]> {
    const { sources } = kernelSourcesOf(registry);
    if (sources.length === 0) return [];
    const ops = stats(graph).map(({ op }) => op);
    const needed = sources.filter((library) => ops.some((op) => mayCall(op, library, registry)));
    const lacks = await Promise.all(needed.map((library) => this.#outcomeOf(library)));
    return lacks.filter((lack) => lack !== null);
  }

  #outcomeOf(library: LibtorchSources): Promise<string | null> {
    const known = this.#outcomes.get(library);
    if (known !== undefined) return known;
    const outcome = this.#provide(library);
    this.#outcomes.set(library, outcome);
    return outcome;
  }

  async #provide(library: LibtorchSources): Promise<string | null> {
    const { ops, oldest, cuda } = library;
    // An op can be registered once in a process, and who did it first may have registered only some of them.
    const isThere = ops.some((op) => this.#dispatcher.schema(op) !== null);
    const lacksCuda =
      cuda !== undefined && this.#dispatcher.device !== "cpu" && !ops.some((op) => this.#dispatcher.has(op));
    if (isThere && !lacksCuda) return null;
    try {
      // The module is loaded already: this tells which libtorch it runs on.
      const { addon, libtorch } = await loadAddon();
      if (oldest !== undefined && compareVersions(libtorch.version, oldest) < 0) {
        return this.#refuse(library, `its sources need torch ${oldest} or later, and this is ${libtorch.version}`);
      }
      // Without kernels for its GPU a program runs the records, and needs no other library either.
      const onGpu = lacksCuda ? await buildForGpus(cuda, libtorch, addon.info()) : null;
      if (!isThere) this.#load(await buildLibrary(withPaths(library), libtorch));
      if (onGpu !== null) this.#load(onGpu);
      return null;
    } catch (problem) {
      if (!(problem instanceof Pt2Error)) throw problem;
      return this.#refuse(library, problem.what.split("\n")[0]!, problem);
    }
  }

  #refuse({ ops }: LibtorchSources, why: string, problem?: Pt2Error): string {
    this.#dispatcher.explainLack(ops, why);
    const names = `${ops[0]}${ops.length === 1 ? "" : ` and ${ops.length - 1} more`}`;
    const { device } = this.#dispatcher;
    const text = `The kernels of ${names}${device === "cpu" ? "" : ` for ${device}`} are not there: ${why}`;
    process.emitWarning(`${text}. Their records run instead, where they can.`, {
      code: problem?.code ?? "libtorch.library",
      ...(problem === undefined ? {} : { detail: problem.message }),
    });
    return text;
  }
}

function withPaths({ sources, flags = [] }: CudaSources): LibrarySources {
  return { sources: sources.map((source) => libraryPath(source, "source file")), flags };
}

/** Compiles kernels for all GPUs of the process, as other backends may run on another one. */
async function buildForGpus(given: CudaSources, libtorch: Libtorch, { cuda }: LibtorchInfo): Promise<string> {
  const devices = typeof cuda === "string" ? [] : cuda.devices;
  const capabilities = [...new Set(devices.map(({ capability }) => capability))].sort();
  return await buildLibrary({ ...withPaths(given), capabilities }, libtorch);
}

/** Returns whether an op is of a library, or one of a user's whose decomposition may call it. */
function mayCall(op: OpName, { ops }: LibtorchSources, registry: OpRegistry): boolean {
  if (ops.includes(op)) return true;
  return registry.userSetOf(op) !== undefined && registry.resolve(op)?.decompose !== undefined;
}
