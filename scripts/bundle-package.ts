// The JavaScript of the package in the current folder as it is published: a file for each entry point and for what
// several share or load on demand, instead of one for each source. Files are what a cold start pays for, and what a
// browser asks for one after the other. Declarations are the compiler's and stay one for each source.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { build } from "esbuild";

const OUT = "dist";

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  readonly bin?: Readonly<Record<string, string>>;
}

/** Sources of what `package.json` names: `./dist/aten.js` is made of `src/aten.ts`. */
function entryPoints({ exports, bin = {} }: Manifest): readonly string[] {
  const targets = Object.values(exports).flatMap((target) => (typeof target === "string" ? [] : [target.default]));
  return [...targets, ...Object.values(bin)].map((path) => path.replace(/^\.\/dist\/(.*)\.js$/, "src/$1.ts"));
}

const { metafile } = await build({
  entryPoints: [...entryPoints(JSON.parse(readFileSync("package.json", "utf8")) as Manifest)],
  outdir: OUT,
  outbase: "src",
  // Beside the entry points: `new URL("./worker.js", import.meta.url)` means the same in every file.
  chunkNames: "[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "neutral",
  target: "es2023",
  packages: "external",
  external: ["node:*"],
  sourcemap: true,
  // The sources are published too.
  sourcesContent: false,
  metafile: true,
  logLevel: "warning",
});

// What an earlier build left would be published, and npm publishes whatever begins with `readme`: tests of one too.
const made = new Set(Object.keys(metafile.outputs).map((file) => relative(OUT, file)));
for (const file of readdirSync(OUT, { recursive: true, encoding: "utf8" })) {
  const stale = /\.js(\.map)?$/.test(file) && !made.has(file);
  if (stale || file.includes(".test.")) rmSync(join(OUT, file));
}
