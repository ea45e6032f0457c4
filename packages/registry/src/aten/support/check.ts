import type { Pt2Error } from "@pt2/format";
import { registryError } from "../../registry-errors.ts";

/** Refuses arguments that PyTorch would refuse, in its words. The lowering adds which node it was. */
export function check(ok: boolean, what: string | (() => string)): asserts ok {
  if (!ok) throw invalid(typeof what === "string" ? what : what());
}

/** The error of {@link check}. */
export function invalid(what: string): Pt2Error {
  return registryError("registry.argument", {
    what,
    advice: "Compare the inputs' shapes and dtypes with those that the program was exported with.",
  });
}

/** `[2, 3]`, as PyTorch's messages write a shape. */
export function show(list: readonly number[]): string {
  return `[${list.join(", ")}]`;
}
