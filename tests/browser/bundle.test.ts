import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { buildApp } from "./build-app.ts";

test("a bundler makes a page and a worker that need nothing of Node", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pt2-bundle-"));
  try {
    const files = await buildApp({ root: fileURLToPath(new URL("app", import.meta.url)), outDir: folder });
    const scripts = files.filter(({ name }) => name.endsWith(".js"));
    const names = scripts.map(({ name }) => name);
    expect(names).toContainEqual(expect.stringMatching(/index-/));
    expect(names).toContainEqual(expect.stringMatching(/worker-/));
    for (const { name, content, gzip } of scripts) {
      expect(content).not.toMatch(/["'`]node:/);
      console.info(`${name}: ${(gzip / 1000).toFixed(1)} kB gzip, ${(content.length / 1000).toFixed(1)} kB minified`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the example page takes nothing that needs Node from the packages", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pt2-bundle-"));
  try {
    const root = fileURLToPath(new URL("../../examples/web", import.meta.url));
    const files = await buildApp({ root, outDir: folder });
    // What Vite puts in the place of Node's modules.
    for (const { name, content } of files) {
      expect(name).not.toContain("browser-external");
      expect(content).not.toContain("__vite-browser-external");
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
