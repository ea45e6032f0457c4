// The JavaScript of the package in the current folder as it is published: a file for each entry point and for what
// several share or load on demand, instead of one for each source. Files are what a cold start pays for, and what a
// browser asks for one after the other. Declarations are the compiler's and stay one for each source.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Plugin, rolldown } from "rolldown";
import { type Chunk, chunksOf } from "./chunks.ts";
import type { Source } from "./loads.ts";

const OUT = "dist";
/** Bytes of source below which a file that several share is joined with another. */
const LEAST_SHARED = 16_000;

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly default: string; readonly browser?: string }>>;
  readonly bin?: Readonly<Record<string, string>>;
}

/** Sources of what `package.json` names: `./dist/aten.js` is made of `src/aten.ts`. */
function entryPoints({ exports, bin = {} }: Manifest): Readonly<Record<string, string>> {
  const targets = Object.values(exports).flatMap((target) =>
    typeof target === "string" ? [] : [target.default, target.browser ?? []].flat(),
  );
  const names = [...targets, ...Object.values(bin)].map((path) => path.replace(/^\.\/dist\/(.*)\.js$/, "$1"));
  return Object.fromEntries(names.map((name) => [name, `./src/${name}.ts`]));
}

let chunks: readonly Chunk[] = [];

/** Decides on the chunks when all sources are known. */
const chunking: Plugin = {
  name: "chunking",
  buildEnd() {
    const infos = [...this.getModuleIds()].flatMap((id) => this.getModuleInfo(id) ?? []);
    const own = new Map(infos.filter(({ code }) => code !== null).map((info) => [info.id, info]));
    const sources = [...own].map(([id, info]): [string, Source] => {
      const { importedIds: imports, dynamicallyImportedIds: onDemand, code } = info;
      return [id, { imports, onDemand, bytes: code!.length }];
    });
    const entries = infos.filter(({ isEntry }) => isEntry).map(({ id }) => id);
    chunks = chunksOf(new Map(sources), entries, LEAST_SHARED);
  },
};

const build = await rolldown({
  input: { ...entryPoints(JSON.parse(readFileSync("package.json", "utf8")) as Manifest) },
  platform: "neutral",
  external: (id) => !/^[./]/.test(id) && !id.includes(":\\"),
  transform: { target: "es2023" },
  logLevel: "warn",
  plugins: [chunking],
});
// Once for what imports what.
await build.generate();
const { output } = await build.write({
  dir: OUT,
  format: "es",
  // Beside the entry points: `new URL("./worker.js", import.meta.url)` means the same in every file.
  entryFileNames: "[name].js",
  // Names without hashes: a page's bundler adds its own, and says them in every chunk that imports one.
  chunkFileNames: ({ name }) => `${name.replace(/ \d+$/, "")}.js`,
  codeSplitting: {
    groups: chunks.map(({ name, sources }, at) => ({
      name: `${name} ${at}`,
      test: (id) => sources.has(id),
      // What a chunk imports has its own place before.
      priority: chunks.length - at,
    })),
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
