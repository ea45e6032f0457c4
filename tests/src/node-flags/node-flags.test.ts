import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { allFlags, FLAGS, REFUSED } from "./flags.ts";

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const MAIN = here("main.mjs");
const ANSWER = JSON.stringify(new URL("answer.mjs", import.meta.url).href);
const MODULE = `import { answer } from ${ANSWER}; console.log(await answer());`;
const SCRIPT = `import(${ANSWER}).then(async ({ answer }) => console.log(await answer()));`;

/** The exit code of Node for a flag that it does not know, or that lacks a value. */
const BAD_OPTION = 9;
const others = process.env.PT2_NODE_FLAGS === "all" ? allFlags() : [];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pt2-flags-"));
});
afterAll(() => rm(folder, { recursive: true }));

interface Run {
  readonly code: number | null;
  /** The lines with the outcome of a model, or the whole output where there are none. */
  readonly outcome: readonly string[];
}

/** Starts `node` where profilers may leave their files, with none of the flags of this test run. */
function node(
  args: readonly string[],
  { input, NODE_OPTIONS = "" }: { input?: string; NODE_OPTIONS?: string } = {},
): Promise<Run> {
  const PT2_FLAGS_MODEL = fileURLToPath(new URL("../../../examples/digits/digits.pt2", import.meta.url));
  const env = { PATH: process.env.PATH, HOME: folder, NODE_OPTIONS, PT2_FLAGS_MODEL };
  const child = spawn(process.env.PT2_NODE ?? process.execPath, args, { cwd: folder, env });
  // A process that refuses its flags ends without reading its input, which is no failure of the test.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      const lines = printed.match(/^.*\b(answered|refused)\b.*$/gm);
      resolve({ code, outcome: lines ?? [`ended with ${code}: ${printed}`] });
    });
  });
}

describe("the wasm backend in Node, built", () => {
  test.each(others)("the wasm backend computes under %s, if it takes no value", async (flag) => {
    const control = await node([flag, "--eval", 'console.log("answered")']);
    if (control.outcome[0] === "answered") expect((await node([flag, MAIN])).outcome).toEqual(["answered 1,10"]);
  });

  test.each(FLAGS)("the wasm backend computes under %s", async (flag) => {
    const { code, outcome } = await node([...flag.split(" "), MAIN]);
    if (code !== BAD_OPTION) expect(outcome).toEqual(["answered 1,10"]);
  });

  test.each(REFUSED)("the wasm backend under %s ends in %s", async (flag, expected) => {
    const { code, outcome } = await node([...flag.split(" "), MAIN]);
    if (code !== BAD_OPTION) expect(outcome).toEqual([`refused ${expected}`]);
  });

  test("the wasm backend computes for code that is not a file", async () => {
    const module = ["--input-type=module", "--max-old-space-size=400"];
    const runs = [
      node([...module, "--eval", MODULE]),
      node(["--eval", SCRIPT]),
      node(["--print", SCRIPT]),
      node(module, { input: MODULE }),
      node(["-"], { input: SCRIPT }),
    ];
    for (const run of runs) expect((await run).outcome).toEqual(["answered 1,10"]);
  });

  test("the wasm backend computes with flags in NODE_OPTIONS", async () => {
    const { outcome } = await node([MAIN], { NODE_OPTIONS: "--max-old-space-size=400 --enable-source-maps -C mine" });
    expect(outcome).toEqual(["answered 1,10"]);
  });

  test("the wasm backend computes in threads, forked processes and clusters, which inherit flags", async () => {
    const { outcome } = await node(["--stack-size=900", "--expose-gc", here("contexts.mjs")]);
    expect(outcome).toEqual(["thread answered 1,10", "process answered 1,10", "cluster answered 1,10"]);
  });

  test("the wasm backend computes in node:test", async () => {
    const { outcome } = await node(["--expose-gc", "--test", here("node-test.mjs")]);
    expect(outcome).toEqual([expect.stringContaining("answered 1,10")]);
  });

  test("a module of --import that loads a model does so in its threads without starting others", async () => {
    const { outcome } = await node(["--import", new URL("preload.mjs", import.meta.url).href, MAIN]);
    expect(outcome).toEqual(["answered 1,10"]);
  });
});
