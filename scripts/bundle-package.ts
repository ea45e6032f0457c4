// The JavaScript of the package in the current folder as it is published: a file for each entry point and for what
// several share or load on demand, instead of one for each source. Files are what a cold start pays for, and what a
// browser asks for one after the other. Declarations are the compiler's and stay one for each source.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";

const OUT = "dist";
/** Bytes of source below which what some files share is joined with what other files share. */
const LEAST_SHARED = 8_000;

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  readonly bin?: Readonly<Record<string, string>>;
}

/** Sources of what `package.json` names: `./dist/aten.js` is made of `src/aten.ts`. */
function entryPoints({ exports, bin = {} }: Manifest): Readonly<Record<string, string>> {
  const targets = Object.values(exports).flatMap((target) => (typeof target === "string" ? [] : [target.default]));
  const names = [...targets, ...Object.values(bin)].map((path) => path.replace(/^\.\/dist\/(.*)\.js$/, "$1"));
  return Object.fromEntries(names.map((name) => [name, `./src/${name}.ts`]));
}

/** What a source imports, at once and on demand. */
interface Imports {
  readonly importedIds: readonly string[];
  readonly dynamicallyImportedIds: readonly string[];
}

const known = new Map<string, boolean>();

/** Whether a source needs Node, or imports one that does: what browsers share is not joined with it. */
function needsNode(id: string, importsOf: (id: string) => Imports | null): boolean {
  const found = known.get(id);
  if (found !== undefined) return found;
  known.set(id, false);
  const imports = importsOf(id);
  const imported = imports === null ? [] : [...imports.importedIds, ...imports.dynamicallyImportedIds];
  const needs = imported.some((each) => /^node:|\/node$/.test(each) || needsNode(each, importsOf));
  known.set(id, needs);
  return needs;
}

const build = await rolldown({
  input: { ...entryPoints(JSON.parse(readFileSync("package.json", "utf8")) as Manifest) },
  platform: "neutral",
  external: (id) => !/^[./]/.test(id) && !id.includes(":\\"),
  transform: { target: "es2023" },
  logLevel: "warn",
});
const { output } = await build.write({
  dir: OUT,
  format: "es",
  // Beside the entry points: `new URL("./worker.js", import.meta.url)` means the same in every file.
  entryFileNames: "[name].js",
  chunkFileNames: ({ name }) => (name.startsWith("shared") ? "shared-[hash].js" : "[name]-[hash].js"),
  codeSplitting: {
    groups: [
      {
        debugName: "shared",
        name: (id, context) => (needsNode(id, (each) => context.getModuleInfo(each)) ? "shared-node" : "shared"),
        minShareCount: 2,
        entriesAware: true,
        entriesAwareMergeThreshold: LEAST_SHARED,
      },
    ],
  },
  sourcemap: true,
  // The sources are published too.
  sourcemapExcludeSources: true,
});
await build.close();

// What an earlier build left would be published, and npm publishes whatever begins with `readme`: tests of one too.
const made = new Set(output.map(({ fileName }) => fileName));
for (const file of readdirSync(OUT, { recursive: true, encoding: "utf8" })) {
  const stale = /\.js(\.map)?$/.test(file) && !made.has(file);
  if (stale || file.includes(".test.")) rmSync(join(OUT, file));
}
