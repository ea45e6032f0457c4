import type { Pt2Error } from "@pt2/format";
import { registryError } from "../../registry-errors.ts";

/** Refuses arguments that PyTorch refuses, with PyTorch's message. Lowering adds the node. */
export function check(ok: boolean, what: string | (() => string)): asserts ok {
  if (!ok) throw invalid(typeof what === "string" ? what : what());
}

/** Makes the error of {@link check}. */
export function invalid(what: string): Pt2Error {
  return registryError("registry.argument", {
    what,
    advice: "Check the op's arguments; those of a program follow from inputs like the ones it was exported with.",
  });
}

/** Formats a shape as PyTorch's messages do: `[2, 3]`. */
export function show(list: readonly number[]): string {
  return `[${list.join(", ")}]`;
}
