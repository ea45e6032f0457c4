import { expect, test } from "vitest";
import { chunksOf } from "./chunks.ts";
import type { Source } from "./loads.ts";

const source = (imports: string, onDemand = "", bytes = 100): Source => ({
  imports: imports.split(" ").filter((id) => id !== ""),
  onDemand: onDemand.split(" ").filter((id) => id !== ""),
  bytes,
});

/** Names and sources of chunks, in their order. */
function chunks(sources: Readonly<Record<string, Source>>, entries: string, least = 0): string[] {
  return chunksOf(new Map(Object.entries(sources)), entries.split(" "), least).map(
    ({ name, sources: ids }) => `${name}: ${[...ids].sort().join(" ")}`,
  );
}

test("what a root alone imports is left to the bundler, what several import is shared", () => {
  const sources = {
    "src/a.ts": source("src/own.ts src/leaf.ts"),
    "src/b.ts": source("src/leaf.ts"),
    "src/own.ts": source(""),
    "src/leaf.ts": source(""),
  };
  expect(chunks(sources, "src/a.ts src/b.ts")).toEqual(["shared: src/leaf.ts"]);
});

test("what is there before an import on demand is not a part of it", () => {
  const sources = {
    "src/a.ts": source("src/leaf.ts", "src/engine.ts"),
    "src/engine.ts": source("src/leaf.ts src/shader.ts", "src/kernel.ts src/rare/index.ts"),
    "src/kernel.ts": source("src/shader.ts src/leaf.ts src/team.ts"),
    "src/rare/index.ts": source("src/team.ts src/only.ts"),
    "src/only.ts": source(""),
    "src/shader.ts": source(""),
    "src/team.ts": source(""),
    "src/leaf.ts": source(""),
  };
  // `kernel` and `rare` come after `engine`, whose shader they use.
  expect(chunks(sources, "src/a.ts")).toEqual([
    "a: src/leaf.ts",
    "engine: src/engine.ts src/shader.ts",
    "shared: src/team.ts",
  ]);
});

test("what is imported on demand from two places is only sure of what both had", () => {
  const sources = {
    "src/a.ts": source("src/x.ts src/y.ts", "src/late.ts"),
    "src/b.ts": source("src/x.ts", "src/late.ts"),
    "src/late.ts": source("src/x.ts src/y.ts"),
    "src/x.ts": source(""),
    "src/y.ts": source(""),
  };
  expect(chunks(sources, "src/a.ts src/b.ts").sort()).toEqual(["late: src/y.ts", "shared: src/x.ts"]);
});

test("small chunks are joined so that least is loaded in vain, but not with what Node or another entry point needs", () => {
  const sources = {
    "src/a.ts": source("src/big.ts src/ab.ts"),
    "src/b.ts": source("src/big.ts src/ab.ts src/bc.ts"),
    "src/c.ts": source("src/big.ts src/bc.ts src/node.ts"),
    "src/d.ts": source("src/node.ts"),
    "src/big.ts": source("", "src/x.ts src/y.ts src/z.ts", 1000),
    "src/ab.ts": source("", "", 10),
    "src/bc.ts": source("", "", 10),
    "src/node.ts": source("node:fs", "", 10),
    "src/x.ts": source("src/xyz.ts src/xy.ts"),
    "src/y.ts": source("src/xyz.ts src/xy.ts src/yz.ts"),
    "src/z.ts": source("src/xyz.ts src/yz.ts"),
    "src/xyz.ts": source("", "", 1000),
    "src/xy.ts": source("", "", 10),
    "src/yz.ts": source("", "", 10),
  };
  expect(chunks(sources, "src/a.ts src/b.ts src/c.ts src/d.ts", 500).sort()).toEqual([
    "shared: src/ab.ts",
    "shared: src/bc.ts",
    "shared: src/big.ts",
    "shared: src/node.ts",
    "shared: src/xy.ts src/xyz.ts src/yz.ts",
  ]);
});
