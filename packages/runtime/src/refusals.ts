// The errors of `load` for what cannot be loaded. Nothing here is needed where a load succeeds.
import { BACKEND_API_VERSION, type Backend } from "@pt2/backend";
import type { Pt2ErrorParts } from "@pt2/format";
import { closestName, type OptionTypes, optionProblem, wrongOptions } from "@pt2/format/options";
import { type Program, walk } from "@pt2/graph";
import type { OpRegistry } from "@pt2/registry";
import type { NeededWeights } from "./requirements.ts";
import { runtimeError } from "./runtime-errors.ts";

/** Throws an error that says what is wrong with the options of a load, whose types these are. */
export function refuseOptions(options: unknown, types: OptionTypes): void {
  const { backend, ops, handlers, weights } = (options ?? {}) as Readonly<Record<string, unknown>>;
  const wrong = wrongBackend(backend);
  if (wrong !== undefined) throw runtimeError("runtime.options", wrong);
  if (weights !== undefined) {
    throw runtimeError("runtime.options", {
      what: "`weights` is an option in Node only",
      advice: "import `load` from @pt2/runtime/node, or load a .pt2 file",
    });
  }
  for (const [name, value] of Object.entries({ ops, handlers })) {
    if (value === undefined || Array.isArray(value)) continue;
    throw runtimeError("runtime.options", {
      what: `\`${name}\` is not an array`,
      advice: `pass an array, even of one item: { ${name}: [mine] }`,
    });
  }
  requireContract(backend as Backend);
  // Those who pass their own options on, as @pt2/vision does, have others too: of names, only a misspelled one is a mistake.
  const isMistake = (name: string): boolean =>
    Object.hasOwn(types, name) || closestName(name, Object.keys(types)) !== undefined;
  const mistake = wrongOptions(options, types).find(isMistake);
  if (mistake !== undefined) refuseOption("load()", options, types, mistake);
}

/** Throws an error that says what is wrong with an option of a function. */
export function refuseOption(of: string, options: unknown, types: OptionTypes, wrong: string): never {
  throw runtimeError("runtime.options", optionProblem(of, options, types, wrong));
}

/** Throws an error that says why a value is no source of a model, and how to make one of it. */
export function refuseSource(source: unknown): never {
  if (typeof source === "string" || source instanceof URL) {
    throw runtimeError("runtime.source", {
      what: `\`${source}\` is not an address that can be fetched`,
      where: String(source),
      advice: "for a file, import `load` from @pt2/runtime/node; in a browser pass a Blob or an https:// address",
    });
  }
  if (source instanceof Uint8Array || source instanceof ArrayBuffer) {
    throw runtimeError("runtime.source", {
      what: "The source has no bytes, as after a transfer",
      advice: "transfer a copy, or load before the transfer",
    });
  }
  const type = source === null ? "null" : typeof source;
  const given = type === "object" ? (source!.constructor?.name ?? "object") : type;
  const advice: Readonly<Record<string, string>> = {
    Promise: "await it first",
    Response: "pass its bytes, await response.arrayBuffer(), or only its address, of which `load` reads what it needs",
    FileList: "pass one of its files: input.files[0]",
    undefined: "check where it comes from; it is the first argument: load(source, { backend })",
  };
  throw runtimeError("runtime.source", {
    what: `The source is neither an address nor bytes, but ${withArticle(given, type)}`,
    advice: advice[given] ?? "pass a path (in Node), a URL, a Blob, a Uint8Array, an ArrayBuffer or a ByteSource",
  });
}

function withArticle(given: string, type: string): string {
  if (["null", "undefined"].includes(type)) return given;
  return `${/^[aeiou]/i.test(given) ? "an" : "a"} ${given}`;
}

function wrongBackend(backend: unknown): Pt2ErrorParts | undefined {
  if (typeof backend === "function") {
    return {
      what: "`backend` is a function, not a backend",
      advice: "call it: { backend: wasm() }, { backend: await libtorch() }",
    };
  }
  if (typeof backend !== "object" || backend === null) {
    return {
      what:
        backend == null
          ? "`backend` is missing"
          : `\`backend\` is the ${typeof backend} \`${String(backend)}\`, not a backend`,
      advice: "pass one: load(source, { backend: wasm() }), with wasm of @pt2/backend-wasm",
    };
  }
  if ("then" in backend) {
    return {
      what: "`backend` is a promise, not a backend",
      advice: "await it: { backend: await libtorch() }, { backend: await webgpu() }",
    };
  }
  if ("compile" in backend && typeof backend.compile === "function") return undefined;
  return {
    what: "`backend` is not a backend: it has no method `compile`",
    advice: "create one with wasm(), await libtorch() or await webgpu() of the backend packages",
  };
}

/** Throws for a backend of another version of the contract. */
function requireContract({ name, apiVersion }: Backend): void {
  if (apiVersion === BACKEND_API_VERSION) return;
  throw runtimeError("runtime.backend-version", {
    what: `The backend \`${name}\` implements version ${apiVersion} of the contract, this runtime version ${BACKEND_API_VERSION}`,
    advice: "install versions of @pt2/runtime and the backend that were released together",
    details: { backend: name, apiVersion },
  });
}

/** Throws for handler functions if the backend does not support them. */
export function requireHandlers(backend: Backend, program: Program, registry: OpRegistry): void {
  if (backend.capabilities.handlers === true) return;
  const found = new Set<string>();
  walk(program.graph, ({ op }) => {
    const handler = registry.handlerOf(op);
    const { compute, decompose } = registry.resolve(op) ?? {};
    const isComputed = compute !== undefined && decompose === undefined && !registry.hasKernel(op, backend.name);
    if (handler?.compile !== undefined || isComputed) found.add(op);
  });
  if (found.size === 0) return;
  throw runtimeError("runtime.handlers", {
    what: `The backend \`${backend.name}\` does not support handler functions, but there are some for ${[...found].join(", ")}`,
    advice: "pass handlers that only `rewrite`, or choose a backend that supports `compile`",
    details: { ops: [...found] },
  });
}

/** Throws for a program whose weights are not in the file. */
export function refuseWeights({ needed, absent }: NeededWeights): never {
  const shown = absent.slice(0, 3).join(", ");
  throw runtimeError("runtime.no-weights", {
    what: `The file lacks the bytes of ${absent.length} of ${needed.length} weights: ${shown}${absent.length > 3 ? ", …" : ""}`,
    where: absent[0],
    advice: "the program was exported with fake weights: export it with real ones",
    details: { absent },
  });
}
