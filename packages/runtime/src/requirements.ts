import type { Backend } from "@pt2/backend";
import { BACKEND_API_VERSION } from "@pt2/backend";
import { absentWeights, type Pt2ErrorParts, type WeightTensor } from "@pt2/format";
import { type Program, walk } from "@pt2/graph";
import type { OpRegistry, OpSet } from "@pt2/registry";
import { runtimeError } from "./runtime-errors.ts";

/** Refuses options that are none: JavaScript lets everything through. */
export function requireOptions(options: unknown): void {
  const { backend, ops, handlers } = (options ?? {}) as Readonly<Record<string, unknown>>;
  const wrong = wrongBackend(backend);
  if (wrong !== undefined) throw runtimeError("runtime.options", wrong);
  for (const [name, value] of Object.entries({ ops, handlers })) {
    if (value === undefined || Array.isArray(value)) continue;
    throw runtimeError("runtime.options", {
      what: `\`${name}\` is not an array`,
      advice: `give a list, even of one: { ${name}: [mine] }`,
    });
  }
}

function wrongBackend(backend: unknown): Pt2ErrorParts | undefined {
  if (typeof backend === "function") {
    return {
      what: "A function was given where a backend belongs",
      advice: "call it: { backend: wasm() }, { backend: await libtorch() }",
    };
  }
  if (typeof backend !== "object" || backend === null) {
    return {
      what: `No backend was given${backend == null ? "" : `, but ${typeof backend} \`${String(backend)}\``}`,
      advice: "say what runs the program: load(source, { backend: wasm() }), with wasm of @pt2/backend-wasm",
    };
  }
  if ("then" in backend) {
    return {
      what: "A promise was given where a backend belongs",
      advice: "wait for it: { backend: await libtorch() }, { backend: await webgpu() }",
    };
  }
  if ("compile" in backend && typeof backend.compile === "function") return undefined;
  return {
    what: "What was given as backend is none: it has no method `compile`",
    advice: "make one with wasm(), await libtorch() or await webgpu() of the backend packages",
  };
}

/** Refuses a backend that was made for another version of the contract. */
export function requireContract({ name, apiVersion }: Backend): void {
  if (apiVersion === BACKEND_API_VERSION) return;
  throw runtimeError("runtime.backend-version", {
    what: `The backend \`${name}\` implements version ${apiVersion} of the contract, this runtime version ${BACKEND_API_VERSION}`,
    advice: "install versions of @pt2/runtime and the backend that were released together",
    details: { backend: name, apiVersion },
  });
}

/** Refuses an op set with kernels for a backend that is nearly called as the one in use: they would never be asked. */
export async function requireKernelNames(sets: readonly OpSet[], { name }: Backend): Promise<void> {
  for (const { name: set, kernels = {} } of sets) {
    const others = Object.keys(kernels).filter((key) => key !== name);
    if (others.length === 0) continue;
    const { similar } = await import("@pt2/registry/own-ops");
    const meant = others.find((key) => similar(key, [name]) !== undefined);
    if (meant === undefined) continue;
    throw runtimeError("runtime.kernels", {
      what: `Op set "${set}" brings kernels for a backend \`${meant}\`, and the backend in use is called \`${name}\``,
      advice: `write \`kernels: { ${name}: […] }\``,
      details: { set, backend: meant },
    });
  }
}

/** Refuses functions of handlers for a backend that does not take them. */
export function requireHandlers(backend: Backend, program: Program, registry: OpRegistry): void {
  if (backend.capabilities.handlers === true) return;
  const found = new Set<string>();
  walk(program.graph, ({ op }) => {
    const handler = registry.handlerOf(op);
    if (handler?.compile !== undefined) found.add(op);
  });
  if (found.size === 0) return;
  throw runtimeError("runtime.handlers", {
    what: `The backend \`${backend.name}\` does not take functions for ${[...found].join(", ")}`,
    advice: "give handlers that only `rewrite`, or choose a backend that honours `compile`",
    details: { ops: [...found] },
  });
}

/** Refuses a program whose weights are not in the file. */
export function requireWeights(program: Program, weights: ReadonlyMap<string, WeightTensor>): void {
  const targets = program.inputs.flatMap((spec) =>
    spec.kind === "parameter" || spec.kind === "buffer" || spec.kind === "tensor_constant" ? spec.target : [],
  );
  const empty = new Set(absentWeights(weights));
  const absent = targets.filter((target) => empty.has(target) || !weights.has(target));
  if (absent.length === 0) return;
  const shown = absent.slice(0, 3).join(", ");
  throw runtimeError("runtime.no-weights", {
    what: `The file lacks the bytes of ${absent.length} of ${targets.length} weights: ${shown}${absent.length > 3 ? ", …" : ""}`,
    where: absent[0],
    advice: "the program was exported with fake weights: export it with real ones",
    details: { absent },
  });
}
