import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";
import { ROOT } from "../workspace.ts";

/** A bundle for browsers, as an application's bundler would make it. */
export interface Bundle {
  /** Bytes that load at once, as they are and gzipped file by file. */
  readonly bytes: number;
  readonly gzip: number;
  /** Gzipped bytes of the files that load when they are needed. */
  readonly onDemand: number;
  /** Values that it exports. */
  readonly exports: readonly string[];
  /** `node:` modules that it still imports, each with the module that does. */
  readonly nodeImports: readonly { readonly module: string; readonly from: string }[];
}

/** What to bundle: `code` is a module that imports what is measured. */
export interface BundleOptions {
  readonly code: string;
  /** Where its imports are resolved, from the root. */
  readonly folder: string;
  /** Leaves other packages out. */
  readonly alone?: boolean;
}

/** Bundles and minifies sources with esbuild; dependencies come from the workspace's sources. */
export async function bundle({ code, folder, alone = false }: BundleOptions): Promise<Bundle> {
  const { metafile, outputFiles } = await build({
    stdin: { contents: code, resolveDir: join(ROOT, folder), loader: "ts" },
    absWorkingDir: ROOT,
    outdir: join(ROOT, "dist"),
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    target: "es2023",
    platform: "browser",
    conditions: ["dev"],
    logLevel: "silent",
    external: ["node:*"],
    ...(alone && { packages: "external" as const }),
  });
  const [entry] = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === "<stdin>")!;
  const first = staticImports(entry, metafile);
  const files = outputFiles.map(({ path, contents }) => ({
    isFirst: [...first].some((name) => join(ROOT, name) === path),
    bytes: contents.length,
    gzip: gzipSync(contents, { level: 9 }).length,
  }));
  const total = (isFirst: boolean, unit: "bytes" | "gzip"): number =>
    files.filter((file) => file.isFirst === isFirst).reduce((sum, file) => sum + file[unit], 0);
  return {
    bytes: total(true, "bytes"),
    gzip: total(true, "gzip"),
    onDemand: total(false, "gzip"),
    exports: metafile.outputs[entry]!.exports,
    nodeImports: nodeImports(metafile),
  };
}

/** The files that a file imports at once, itself included. */
function staticImports(entry: string, { outputs }: Metafile, found: Set<string> = new Set()): ReadonlySet<string> {
  found.add(entry);
  for (const { path, kind, external } of outputs[entry]!.imports) {
    if (kind === "import-statement" && external !== true && !found.has(path))
      staticImports(path, { outputs, inputs: {} }, found);
  }
  return found;
}

function nodeImports({ inputs }: Metafile): Bundle["nodeImports"] {
  return Object.entries(inputs).flatMap(([from, { imports }]) =>
    imports.filter(({ path }) => path.startsWith("node:")).map(({ path }) => ({ module: path, from })),
  );
}
