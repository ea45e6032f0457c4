// Completes the `dist` of the package in the current folder. The compiler has written a file for each source, which is
// what bundlers cut best: a page then downloads what it needs and nothing beside it. Node pays for files: this writes
// `dist/node`, the entry points as rolldown cuts them, for the condition `node`.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";

const OUT = join("dist", "node");

/**
 * Sources of what `package.json` and the commands in `bin` name below `dist/node`: `./dist/node/aten.js` is made of
 * `src/aten.ts`.
 */
const commands = existsSync("bin") ? readdirSync("bin").map((file) => join("bin", file)) : [];
const texts = ["package.json", ...commands].map((path) => readFileSync(path, "utf8"));
const named = texts.join("\n").matchAll(/"\.{1,2}\/dist\/node\/([^"]+)\.js"/g);
const input = Object.fromEntries([...named].map(([, name]) => [name!, `./src/${name}.ts`]));

rmSync(OUT, { recursive: true, force: true });
const build = await rolldown({
  input,
  platform: "neutral",
  // Rolldown's helpers for syntax that the target lacks, such as `await using`, go into the bundle: they are no dependency.
  external: (id) => !/^[./]/.test(id) && !id.includes(":\\") && !id.startsWith("@oxc-project/runtime/"),
  transform: { target: "es2023" },
  logLevel: "warn",
});
await build.write({
  dir: OUT,
  format: "es",
  entryFileNames: "[name].js",
  chunkFileNames: "[name].js",
  sourcemap: true,
  // The sources are published too.
  sourcemapExcludeSources: true,
});
await build.close();

// What the compiler left of sources that are gone would be published, and npm publishes whatever begins with `readme`:
// tests of one too.
for (const file of readdirSync("dist", { recursive: true, encoding: "utf8" })) {
  const written = /^(.*?)(?:\.d)?\.[jt]s(?:\.map)?$/.exec(file)?.[1];
  if (written === undefined || join("dist", file).startsWith(join(OUT, "/"))) continue;
  if (file.includes(".test.") || !existsSync(join("src", `${written}.ts`))) rmSync(join("dist", file));
}
