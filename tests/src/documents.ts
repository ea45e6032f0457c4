import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { captureScript } from "./capture.ts";
import { editFixture } from "./edit-fixture.ts";
import { fixturePath } from "./fixture.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** Inside this package, where every `@pt2` name resolves. */
const SCRIPTS = join(ROOT, "tests/.snippets");

/** A piece of a document that says what it prints: a `ts` or `sh` block, and the `text` block behind it. */
export interface Snippet {
  readonly language: "ts" | "sh";
  readonly code: string;
  readonly output: string;
  /** Line of the code's fence, from 1. */
  readonly line: number;
}

/**
 * Finds the snippets of a Markdown text. Blocks without a `text` block behind them are left out, and
 * so are command lines of other programs than `pt2`.
 */
export function snippetsOf(markdown: string): readonly Snippet[] {
  const blocks = blocksOf(markdown);
  return blocks.flatMap(([, language, code], i): Snippet[] => {
    const next = blocks[i + 1];
    if ((language !== "ts" && language !== "sh") || next?.[1] !== "text") return [];
    if (language === "sh" && !code!.startsWith("pt2 ")) return [];
    const line = markdown.slice(0, blocks[i]!.index).split("\n").length;
    return [{ language, code: code!, output: next[2]!, line }];
  });
}

/** The `ts` blocks whose first line is a comment with a file's name: what other snippets import. */
export function modulesOf(markdown: string): ReadonlyMap<string, string> {
  const named = blocksOf(markdown).flatMap(([, language, code]) => {
    const name = /^\/\/ ([\w.-]+\.ts)\n/.exec(code!)?.[1];
    return language === "ts" && name !== undefined ? [[name, code!] as const] : [];
  });
  return new Map(named);
}

function blocksOf(markdown: string): readonly RegExpExecArray[] {
  return [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
}

/** Makes a folder with the files that documents speak of. */
export async function documentFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pt2-documents-"));
  const fixtures = fixturePath("torch-2.13");
  for (const file of await readdir(fixtures)) {
    if (file.endsWith(".pt2")) await copyFile(join(fixtures, file), join(folder, file));
  }
  await copyFile(fixturePath("torch-2.13/mlp.pt2"), join(folder, "model.pt2"));
  await copyFile(fixturePath("programs/torchao_int8_dynamic.pt2"), join(folder, "quantised.pt2"));
  await copyFile(join(ROOT, "examples/digits/digits.pt2"), join(folder, "digits.pt2"));
  const bend = await editFixture("torch-2.13/mlp", "torch.ops.aten.relu.default", "torch.ops.mine.bend.default");
  await writeFile(join(folder, "bend.pt2"), bend);
  return folder;
}

/** Runs a document's snippet in a folder; gives what it prints on stdout, and behind that what it prints on stderr. */
export async function runSnippet({ language, code }: Snippet, markdown: string, folder: string): Promise<string> {
  if (language === "sh") return runCommand(code, folder);
  const scripts = await writeModules(new Map([...modulesOf(markdown), ["main.ts", code]]));
  try {
    return await printed([join(scripts, "main.ts")], folder);
  } finally {
    await rm(scripts, { recursive: true });
  }
}

/** Writes modules into a folder of their own where every `@pt2` name resolves. */
export async function writeModules(modules: ReadonlyMap<string, string>): Promise<string> {
  await mkdir(SCRIPTS, { recursive: true });
  const folder = await mkdtemp(join(SCRIPTS, "document-"));
  for (const [name, text] of modules) await writeFile(join(folder, name), text);
  return folder;
}

/** One `pt2 …` command line. */
function runCommand(code: string, folder: string): Promise<string> {
  const args = code.trim().split(/\s+/).slice(1);
  return printed([join(ROOT, "packages/cli/src/main.ts"), ...args], folder);
}

/** What Dawn says of software drivers when it opens a device. */
const DRIVER_NOTES = /^Warning: max\w+ artificially reduced .*\n/gm;

async function printed(args: readonly string[], cwd: string): Promise<string> {
  const { stdout, stderr } = await captureScript(args, {
    cwd,
    env: { ...process.env, NO_COLOR: "1", PT2_BACKEND: "wasm" },
  });
  return stdout + stderr.replace(DRIVER_NOTES, "");
}
