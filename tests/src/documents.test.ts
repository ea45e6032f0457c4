import { readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { missingLibtorch, missingWebgpu } from "./backends.ts";
import {
  documentFolder,
  documentPaths,
  findPython,
  type PythonResult,
  runPython,
  runSnippet,
  snippetsOf,
} from "./documents.ts";

const ROOT = new URL("../../", import.meta.url);
const documents = documentPaths();

let folder: string;
beforeAll(async () => {
  folder = await documentFolder();
});
afterAll(() => rm(folder, { recursive: true }));

/** Why snippets that use a backend cannot run here, by what they import. */
const missing = new Map([
  ["@pt2/backend-libtorch", await missingLibtorch()],
  ["@pt2/backend-webgpu", await missingWebgpu()],
]);

const python = findPython();

describe("documents print what they say", () => {
  for (const path of documents) {
    const markdown = textOf(path);
    const snippets = snippetsOf(markdown);
    const needsPython = snippets.some(({ language }) => language === "python");
    let results: readonly PythonResult[] = [];
    if (needsPython && python !== undefined) {
      beforeAll(async () => {
        results = await runPython(python, snippets, folder);
      });
    }
    let blocks = 0;
    for (const snippet of snippets) {
      const reason =
        needsPython && python === undefined
          ? "no Python with torch (`pnpm run setup`)"
          : [...missing].find(([name, why]) => why !== null && snippet.code.includes(name))?.[1];
      if (reason !== undefined) {
        it.skip(`${path}:${snippet.line} (skipped: ${reason})`);
        continue;
      }
      const block = snippet.language === "python" ? blocks++ : null;
      it(`${path}:${snippet.line}`, async () => {
        if (block !== null) expect(results[block]?.error ?? null).toBe(null);
        const printed = block === null ? await runSnippet(snippet, markdown, folder) : results[block]?.output;
        expect(printed).toEqual(snippet.output ?? expect.any(String));
      });
    }
  }
});

// npm puts what a package depends on beside it; other package managers do not, and nothing promises that it stays there.
it.each(documents.filter((path) => path.startsWith("packages/")))(
  "%s tells to install what its lines import",
  (path) => {
    const text = textOf(path);
    const installed = new Set([...text.matchAll(/npm install ([^`\n]*)/g)].flatMap(([, words]) => words!.split(/\s+/)));
    const imported = [...text.matchAll(/^```(?:ts|js)\n([\s\S]*?)^```$/gm)]
      .flatMap(([, code]) => [...code!.matchAll(/ from "((?:@[\w-]+\/)?[\w-]+)[^":]*"/g)])
      .map(([, name]) => name!)
      // Packages of the reader.
      .filter((name) => !name.startsWith("my-"));
    expect([...new Set(imported)].filter((name) => !installed.has(name))).toEqual([]);
  },
);

it("every link of a document to a file leads to a file that exists", () => {
  const broken = documents.flatMap((path) => {
    const text = textOf(path).replace(/^```[\s\S]*?^```$/gm, "");
    return [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
      .map(([, target]) => target!)
      .filter((target) => !/^\w+:/.test(target) && !exists(new URL(target, new URL(path, ROOT))))
      .map((target) => `${path}: ${target}`);
  });
  expect(broken).toEqual([]);
});

function textOf(path: string): string {
  return readFileSync(new URL(path, ROOT), "utf8");
}

function exists(url: URL): boolean {
  try {
    readdirSync(fileURLToPath(new URL(".", url)));
    return readFileSync(url).length >= 0;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EISDIR";
  }
}
