import type { Backend } from "@pt2/backend";

const warned = new WeakMap<Backend, Set<string>>();

/** Returns a function that prints a message with `console.warn` the first time that a backend has it. */
export function warnOnce(backend: Backend): (message: string) => void {
  return (message) => {
    const known = warned.get(backend) ?? new Set();
    warned.set(backend, known);
    if (known.has(message)) return;
    known.add(message);
    console.warn(message);
  };
}
