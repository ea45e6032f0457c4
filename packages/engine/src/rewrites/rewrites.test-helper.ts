import { type OpName, type Program, parse, print, validate } from "@pt2/graph";
import { createRegistry } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { expect } from "vitest";
import { purity, type RewriteTarget } from "./target.ts";

const registry = createRegistry({ sets: [aten] });

/** A backend that has a kernel for every ATen op but those of `absent`, and whose user runs the ops of `claimed`. */
export function target(absent: readonly OpName[] = [], claimed: readonly OpName[] = []): RewriteTarget {
  return {
    has: (op) => op.startsWith("aten::") && !absent.includes(op),
    isClaimed: (op) => claimed.includes(op),
    isPure: purity(registry),
  };
}

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
