import { closestName } from "@pt2/format/options";
import { eagerError } from "./eager-errors.ts";

/** Makes the error for an op, or an overload, that no set has; `known` are those of the same namespace, or op. */
export function unknownOp(of: string, unknown: string, known: Iterable<string>): Error {
  const name = `${of}.${unknown}`;
  // Compared without what they have in common, of which a few letters are a small part.
  const meant = closestName(unknown, known);
  return eagerError("eager.unknown-op", {
    what: `No op set has ${name}${meant === undefined ? "" : `; did you mean \`${of}.${meant}\`?`}`,
    advice: "pass op sets of your own with eagerOps(backend, { ops: [set] })",
    details: { op: name },
  });
}

/** Makes the error for an op that writes to a tensor, with the op that computes the same in a new one. */
export function mutation(name: string, functional: string): Error {
  return eagerError("eager.mutation", {
    what: `${name} writes to a tensor, and tensors do not change`,
    advice: `call ${functional}, which returns a new tensor`,
    details: { op: name, functional },
  });
}
