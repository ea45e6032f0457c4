import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const ROOT = new URL("../../", import.meta.url);
const text = readFileSync(new URL("ARCHITECTURE.md", ROOT), "utf8");
const missing = (paths: readonly string[]): readonly string[] =>
  paths.filter((path) => !existsSync(new URL(path, ROOT)));

describe("ARCHITECTURE.md", () => {
  it("ARCHITECTURE.md links to files that exist", () => {
    const links = [...text.matchAll(/\]\(([^)#:]+)\)/g)].map(([, path]) => path!);
    expect(links.length).toBeGreaterThan(20);
    expect(missing(links)).toEqual([]);
  });

  it("ARCHITECTURE.md follows one op through at most 35 files, all of which exist", () => {
    const section = /## One op, followed\n(.*?)\n## /s.exec(text)![1]!;
    const paths = [...section.matchAll(/`([\w-]+\/src\/[^`]+)`/g)].map(([, path]) => `packages/${path}`);
    const onWasm = paths.filter((path) => !path.startsWith("packages/backend-webgpu/"));
    expect(onWasm.length).toBeGreaterThan(20);
    expect(onWasm.length).toBeLessThanOrEqual(35);
    expect(new Set(paths).size).toBe(paths.length);
    expect(missing(paths)).toEqual([]);
  });
});
