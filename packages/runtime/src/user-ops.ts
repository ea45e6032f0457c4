// Makes the registry for programs with ops and handlers of users; it is loaded only for these.
import type { Backend } from "@pt2/backend";
import { closestName, createRegistry, type OpHandler, type OpRegistry, type OpSet } from "@pt2/registry";
import { runtimeError } from "./runtime-errors.ts";

/** The ops of a load: those that come with this project, and those of a user. */
export function registryWith(
  builtIn: readonly OpSet[],
  ops: readonly OpSet[],
  handlers: readonly OpHandler[],
  backend: Backend,
): OpRegistry {
  requireKernelNames(ops, backend);
  return createRegistry({ sets: [...builtIn, ...ops], handlers });
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
