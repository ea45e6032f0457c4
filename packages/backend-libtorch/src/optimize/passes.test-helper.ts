import { type OpName, type Program, parse, print, validate } from "@pt2/graph";
import { createRegistry } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { expect } from "vitest";
import { isOwnOp, type OptimizeTarget, purityWithOwnOps } from "./target.ts";

const registry = createRegistry({ sets: [aten] });

/** A CPU whose libtorch has oneDNN, and the ops of `own`. */
export function cpu(own: readonly OpName[] = [], claimed: readonly OpName[] = []): OptimizeTarget {
  return {
    has: (op) => op.startsWith("aten::") || op.startsWith("mkldnn::") || own.includes(op),
    isClaimed: (op) => claimed.includes(op),
    effectsOf: (op) => (isOwnOp(op) ? { mutates: [], aliases: [] } : registry.effectsOf(op)),
    recordOf: (op) => registry.resolve(op),
    isPure: purityWithOwnOps(registry),
  };
}

/** A build without oneDNN. */
export const bare: OptimizeTarget = { ...cpu(), has: (op) => op.startsWith("aten::") };

/** The program with this text. */
export function program(text: string): Program {
  return parse(`program {\n${text}\n}`);
}

/** The text of a sound program, its signature's trees and lines of source left out. */
export function text(result: Program): string {
  expect(validate(result)).toEqual([]);
  return print(result, { origins: false })
    .split("\n")
    .slice(1, -2)
    .map((line) => line.trim())
    .join("\n");
}
