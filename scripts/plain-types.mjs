// Preloaded by measurements of calls that take microseconds (`node --import`): types are removed, as in what is published.
// tsx also names each function as it is made, which takes longer than many of them do.
import { readFile } from "node:fs/promises";
import { register } from "node:module";
import { isMainThread } from "node:worker_threads";
import { transform } from "esbuild";

// Node reads this file once more in the thread of its hooks.
if (isMainThread) register(import.meta.url);

/** Loads TypeScript; Node calls it for every module. */
export async function load(url, context, next) {
  if (!url.endsWith(".ts")) return next(url, context);
  const { code } = await transform(await readFile(new URL(url), "utf8"), { loader: "ts", target: "es2022" });
  return { format: "module", source: code, shortCircuit: true };
}
