import { spawn, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { copyFile, cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { type Captured, captureScript } from "./capture.ts";
import { editFixture } from "./edit-fixture.ts";
import { fixturePath } from "./fixture.ts";

export const ROOT: string = fileURLToPath(new URL("../../", import.meta.url));
/** A folder inside this package, where every `@pt2` name resolves. */
const SCRIPTS = join(ROOT, "tests/.snippets");

/** The documents of the repository, from its root. */
export function documentPaths(): readonly string[] {
  return [
    ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"],
    ...readdirSync(join(ROOT, "docs")).map((name) => `docs/${name}`),
    ...["packages", "examples"].flatMap((rows) =>
      readdirSync(join(ROOT, rows)).map((name) => `${rows}/${name}/README.md`),
    ),
  ];
}

/** A snippet of a document that runs: a `ts`, `sh` or `python` block, with the `text` block after it. */
export interface Snippet {
  readonly language: "ts" | "sh" | "python";
  readonly code: string;
  /** The expected output; null where the document does not show it. */
  readonly output: string | null;
  /** The line of the code's fence, from 1. */
  readonly line: number;
}

/** The mark of a document all of whose blocks run, Python too, whether it shows their output or not. */
const WHOLE = "<!-- every block runs -->";

/**
 * Finds the snippets of a Markdown text: blocks with a `text` block after them, and every block where the document says
 * so. Command lines of other programs than `pt2` are left out, and Python where not every block runs.
 */
export function snippetsOf(markdown: string): readonly Snippet[] {
  const blocks = blocksOf(markdown);
  const whole = markdown.includes(WHOLE);
  return blocks.flatMap(([, language, code], i): Snippet[] => {
    const next = blocks[i + 1];
    if (language !== "ts" && language !== "sh" && language !== "python") return [];
    if (!whole && (next?.[1] !== "text" || language === "python")) return [];
    if (language === "sh" && !code!.startsWith("pt2 ")) return [];
    const line = markdown.slice(0, blocks[i]!.index).split("\n").length;
    return [{ language, code: code!, output: next?.[1] === "text" ? next[2]! : null, line }];
  });
}

/**
 * Finds the `ts` and `js` blocks whose first line is a comment with a file's name, which other snippets import or name.
 */
export function modulesOf(markdown: string): ReadonlyMap<string, string> {
  const named = blocksOf(markdown).flatMap(([, language, code]) => {
    const name = /^\/\/ ([\w.-]+\.(?:ts|mjs))\n/.exec(code!)?.[1];
    return (language === "ts" || language === "js") && name !== undefined ? [[name, code!] as const] : [];
  });
  return new Map(named);
}

function blocksOf(markdown: string): readonly RegExpExecArray[] {
  return [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
}

/** Makes a folder with the files that documents use. */
export async function documentFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pt2-documents-"));
  const fixtures = fixturePath("torch-2.13");
  for (const file of await readdir(fixtures)) {
    if (file.endsWith(".pt2")) await copyFile(join(fixtures, file), join(folder, file));
  }
  await copyFile(fixturePath("torch-2.13/mlp.pt2"), join(folder, "model.pt2"));
  await copyFile(fixturePath("nodes/mlp.safetensors"), join(folder, "nodes.safetensors"));
  await copyFile(fixturePath("programs/torchao_int8_dynamic.pt2"), join(folder, "quantized.pt2"));
  await copyFile(join(ROOT, "examples/digits/digits.pt2"), join(folder, "digits.pt2"));
  for (const file of ["digits-and-shapes.pt2", "digits-and-shapes.json"]) {
    await copyFile(join(ROOT, "examples/detect-node", file), join(folder, file));
  }
  await copyFile(join(ROOT, "examples/detect-node/scenes/6.jpg"), join(folder, "scene.jpg"));
  await cp(fixturePath("language/rhyme"), join(folder, "rhyme"), { recursive: true });
  const bend = await editFixture("torch-2.13/mlp", "torch.ops.aten.relu.default", "torch.ops.mine.bend.default");
  await writeFile(join(folder, "bend.pt2"), bend);
  return folder;
}

/** Runs a document's snippet in a folder; returns its stdout, followed by its stderr. */
export async function runSnippet(snippet: Snippet, markdown: string, folder: string): Promise<string> {
  const { language, code } = snippet;
  const main: readonly (readonly [string, string])[] = language === "ts" ? [["main.ts", code]] : [];
  const scripts = await writeModules(new Map([...modulesOf(markdown), ...main]));
  try {
    const args = language === "sh" ? commandOf(code, scripts) : [join(scripts, "main.ts")];
    const { code: ended, stdout, stderr } = await captured(args, folder);
    // Where a document does not show the output, only the exit code reveals a failure.
    if (snippet.output === null && ended !== 0) throw new Error(`it ended with ${ended}: ${stdout}${stderr}`);
    return stdout + stderr.replace(DRIVER_NOTES, "");
  } finally {
    await rm(scripts, { recursive: true });
  }
}

/**
 * Finds a Python with what documents import: `PT2_PYTHON`, or the one of `pnpm run setup`. Undefined where there is
 * none.
 */
export function findPython(): string | undefined {
  const own = join(ROOT, ".cache/python", process.platform === "win32" ? "Scripts/python.exe" : "bin/python");
  const looked = "import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, ('torch', 'safetensors'))))";
  return [process.env.PT2_PYTHON, own].find(
    (python) => python !== undefined && spawnSync(python, ["-c", looked], { stdio: "ignore" }).status === 0,
  );
}

/**
 * The result of the Python blocks of a document, run one after the other in one session; blocks after a failure did not
 * run.
 */
export interface PythonResult {
  readonly output: string;
  /** The traceback, or null. */
  readonly error: string | null;
}

/** Runs all Python blocks of a document in a folder, where they may leave files for its other snippets. */
export async function runPython(
  python: string,
  snippets: readonly Snippet[],
  folder: string,
): Promise<readonly PythonResult[]> {
  const codes = snippets.filter(({ language }) => language === "python").map(({ code }) => code);
  const child = spawn(python, [fileURLToPath(new URL("run_blocks.py", import.meta.url))], { cwd: folder });
  child.stdin.end(JSON.stringify(codes));
  const [out, err] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  if (out === "") throw new Error(`Python ended before it answered: ${err}`);
  return JSON.parse(out) as readonly PythonResult[];
}

/** Writes modules into a folder of their own where every `@pt2` name resolves. */
export async function writeModules(modules: ReadonlyMap<string, string>): Promise<string> {
  await mkdir(SCRIPTS, { recursive: true });
  const folder = await mkdtemp(join(SCRIPTS, "document-"));
  for (const [name, text] of modules) await writeFile(join(folder, name), text);
  return folder;
}

/** Parses one `pt2 …` command line. Files that the document shows are in `scripts`. */
function commandOf(code: string, scripts: string): readonly string[] {
  const shown = new Set(readdirSync(scripts));
  const words = code.trim().split(/\s+/).slice(1);
  const args = words.map((word) => (shown.has(word) ? join(scripts, word) : word));
  return [join(ROOT, "packages/cli/src/main.ts"), ...args];
}

/** Messages of Dawn about software drivers when it opens a device. */
const DRIVER_NOTES = /^Warning: max\w+ artificially reduced .*\n/gm;

function captured(args: readonly string[], cwd: string): Promise<Captured> {
  return captureScript(args, { cwd, env: { ...process.env, NO_COLOR: "1", PT2_BACKEND: "wasm" } });
}
