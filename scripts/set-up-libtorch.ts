import { run } from "./run.ts";

/** The native module is compiled, or why it cannot be here. `failed`: it should have been possible. */
export type LibtorchSetup = { readonly file: string } | { readonly missing: string } | { readonly failed: string };

/** What a machine can lack, by error code. */
const LACKING: ReadonlySet<string> = new Set(["libtorch.not-found", "libtorch.no-compiler", "libtorch.platform"]);

/** Compiles the native module of backend-libtorch against the libtorch that is found here. Costs minutes, once. */
export async function setUpLibtorch(say: (line: string) => void): Promise<LibtorchSetup> {
  say("The native module for libtorch (compiled once, takes minutes) …");
  const preload = ["-C", "dev", "--import", "tsx", "--import", "./scripts/development.ts"];
  const { output } = await run(process.execPath, [
    ...preload,
    "packages/cli/src/main.ts",
    "libtorch",
    "build",
    "--json",
  ]);
  const line = output.split("\n").find((text) => text.startsWith("{"));
  if (line === undefined) return { failed: output.trim() };
  const result = JSON.parse(line) as {
    readonly file?: string;
    readonly error?: { readonly code: string; readonly what: string };
  };
  if (result.file !== undefined) return { file: result.file };
  const { code = "", what = output.trim() } = result.error ?? {};
  return LACKING.has(code) ? { missing: what } : { failed: output.trim() };
}
