import { join } from "node:path";
import { build, type Metafile } from "esbuild";
import { ROOT } from "../workspace.ts";

/** A bundle for browsers, as an application's bundler would make it. */
export interface Bundle {
  readonly code: Uint8Array;
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
  const result = await build({
    stdin: { contents: code, resolveDir: join(ROOT, folder), loader: "ts" },
    absWorkingDir: ROOT,
    bundle: true,
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
  const [output] = Object.values(result.metafile.outputs);
  return { code: result.outputFiles[0]!.contents, exports: output!.exports, nodeImports: nodeImports(result.metafile) };
}

function nodeImports(meta: Metafile): Bundle["nodeImports"] {
  return Object.entries(meta.inputs).flatMap(([from, { imports }]) =>
    imports.filter(({ path }) => path.startsWith("node:")).map(({ path }) => ({ module: path, from })),
  );
}
