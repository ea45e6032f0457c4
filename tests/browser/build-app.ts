import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type Rolldown } from "vite";

/** A file of the built page. */
export interface BuiltFile {
  readonly name: string;
  readonly content: string;
  /** Bytes that a page load transfers. */
  readonly gzip: number;
}

/** Builds the page as an application would: Vite with its defaults, packages from their `dist`. */
export async function buildApp(outDir: string): Promise<readonly BuiltFile[]> {
  const result = await build({
    root: fileURLToPath(new URL("app", import.meta.url)),
    configFile: false,
    logLevel: "warn",
    build: { outDir, emptyOutDir: true, chunkSizeWarningLimit: 1000 },
  });
  return (result as Rolldown.RolldownOutput).output.map((file) => {
    const content = file.type === "chunk" ? file.code : Buffer.from(file.source).toString();
    return { name: file.fileName, content, gzip: gzipSync(content).length };
  });
}
