import { gzipSync } from "node:zlib";
import type { TestPage } from "./page.ts";

/** Bytes of gzipped scripts that were asked for, by the page and by its workers. */
export async function downloaded({
  site,
}: Pick<TestPage, "site">): Promise<{ readonly bytes: number; readonly files: number }> {
  const scripts = new Set(site.requests.map(({ path }) => path).filter((path) => path.endsWith(".js")));
  let bytes = 0;
  for (const path of scripts) {
    bytes += gzipSync(Buffer.from(await (await fetch(site.url + path)).arrayBuffer())).length;
  }
  return { bytes, files: scripts.size };
}
