// Makes the registry for programs with ops and handlers of users; it is loaded only for these.
import type { Backend } from "@pt2/backend";
import { closestName } from "@pt2/format/options";
import { createRegistry, type OpHandler, type OpRegistry, type OpSet } from "@pt2/registry";
import type { OpSource } from "./op-source.ts";
import { runtimeError } from "./runtime-errors.ts";

/** The ops of a load: those that come with this project, and those of a user. */
export function registryWith(
  builtIn: readonly OpSet[],
  ops: readonly OpSet[],
  handlers: readonly OpHandler[],
  backend: Backend,
): OpRegistry {
  requireItems("ops", ops);
  requireItems("handlers", handlers);
  requireKernelNames(ops, backend);
  return createRegistry({ sets: [...builtIn, ...ops], handlers });
}

/** Throws for an item of a list that is no op set, or no handler: both have a list of ops. */
function requireItems(name: "ops" | "handlers", items: readonly unknown[]): void {
  if (!Array.isArray(items)) {
    throw runtimeError("runtime.options", {
      what: `\`${name}\` is not an array`,
      advice: `pass an array, even of one item: { ${name}: [mine] }`,
    });
  }
  const lacking = (items as readonly (Partial<OpSet & OpHandler> | null)[]).map((item) => {
    if (!Array.isArray(item?.ops)) return "no list of ops";
    const computes = typeof item.compile === "function" || typeof item.rewrite === "function";
    return name === "ops" || computes ? null : "neither `compile` nor `rewrite`";
  });
  const at = lacking.findIndex((what) => what !== null);
  if (at < 0) return;
  const item =
    name === "ops"
      ? "an op set: { name, ops: [defineOp(…)] }"
      : "a handler: { ops: [names], compile } or { ops: [names], rewrite }";
  throw runtimeError("runtime.options", {
    what: `\`${name}[${at}]\` has ${lacking[at]}`,
    advice: `each item is ${item}`,
  });
}

/** Puts the ops and handlers of a library before the other ones of a load. */
export function withLibrary<Options extends OpSource & { readonly library?: OpSource }>({
  library,
  ...options
}: Options): Omit<Options, "library"> {
  const { ops = [], handlers = [] } = library ?? {};
  if (typeof library !== "object" || library === null || !Array.isArray(ops) || !Array.isArray(handlers)) {
    throw runtimeError("runtime.options", {
      what: "`library` has no lists of ops and handlers",
      advice: "pass an OpLibrary of @pt2/registry, or an object with `ops` and `handlers`",
    });
  }
  return { ...options, ops: [...ops, ...(options.ops ?? [])], handlers: [...handlers, ...(options.handlers ?? [])] };
}

/** Throws for an op set with kernels under a name similar to the backend's: they would never be used. */
function requireKernelNames(sets: readonly OpSet[], { name }: Backend): void {
  for (const { name: set, kernels = {} } of sets) {
    const meant = Object.keys(kernels).find((key) => key !== name && closestName(key, [name]) !== undefined);
    if (meant === undefined) continue;
    throw runtimeError("runtime.kernels", {
      what: `Op set "${set}" has kernels for a backend \`${meant}\`, but the backend in use is called \`${name}\``,
      advice: `write \`kernels: { ${name}: […] }\``,
      details: { set, backend: meant },
    });
  }
}
