import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import * as format from "@pt2/format";
import { fromFile } from "@pt2/format/node";
import { expect, it } from "vitest";
import * as graph from "./index.ts";
import * as passes from "./passes/index.ts";
import { fixture } from "./testing/fixtures.ts";

const README = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const FIXTURE = new URL("../../../tests/fixtures/torch-2.13/", import.meta.url);
const block = (language: string, index = 0): string =>
  [...README.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "gs"))][index]![1]!;

it("shows a program that prints what the README says", async () => {
  const modules: Record<string, unknown> = {
    "@pt2/format": format,
    "@pt2/format/node": { fromFile: (path: string) => fromFile(new URL(path, FIXTURE).pathname) },
    "@pt2/graph": graph,
    "@pt2/graph/passes": passes,
  };
  const lines: string[] = [];
  const log = (value: unknown): void => {
    lines.push(typeof value === "string" ? value : inspect(value));
  };
  const body = block("ts").replaceAll(/^import (\{.*\}) from (".*");$/gm, "const $1 = modules[$2];");
  const AsyncFunction = (async () => {}).constructor as new (
    ...args: string[]
  ) => (...args: unknown[]) => Promise<void>;
  await new AsyncFunction("modules", "console", body)(modules, { log });
  expect(`${lines.join("\n")}\n`).toBe(block("text"));
});

it("shows a real error", async () => {
  const program = await fixture("torch-2.13/dynamic.pt2");
  const message = block("text", 1).trimEnd();
  expect(() => graph.bindSymbols(program, new Map([["ids", [3, 500]]]))).toThrow(
    expect.objectContaining({ what: message }),
  );
});
