import { gzipSync } from "node:zlib";
import { build, defaultClientConditions, type Rolldown } from "vite";

/** A file of the built page. */
export interface BuiltFile {
  readonly name: string;
  readonly content: string;
  /** Bytes that a page load transfers. */
  readonly gzip: number;
}

/** What is built, and where to. */
export interface AppBuild {
  /** Folder with the page's `index.html`. */
  readonly root: string;
  readonly outDir: string;
  /** Takes the packages' sources. @default false */
  readonly sources?: boolean;
}

/** Builds a page as an application would: Vite with the page's own configuration, if any, and packages from their `dist`. */
export async function buildApp({ root, outDir, sources = false }: AppBuild): Promise<readonly BuiltFile[]> {
  const result = await build({
    root,
    logLevel: "warn",
    ...(sources && { resolve: { conditions: ["dev", ...defaultClientConditions] } }),
    build: { outDir, emptyOutDir: true, chunkSizeWarningLimit: 1000 },
  });
  return (result as Rolldown.RolldownOutput).output.map((file) => {
    const content = file.type === "chunk" ? file.code : Buffer.from(file.source).toString();
    return { name: file.fileName, content, gzip: gzipSync(content).length };
  });
}
