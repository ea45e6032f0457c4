/** The codes of what a machine can lack. Any other error, such as a source that does not compile, is a failure. */
const LACKING: ReadonlySet<string> = new Set([
  "libtorch.not-found",
  "libtorch.no-compiler",
  "libtorch.platform",
  "webgpu.no-adapter",
]);

/**
 * Returns what is being made, a backend or its native module, or why this machine cannot have it: a sentence for the title
 * of a skipped test. Rejects with any other error.
 */
export async function orWhyNot<T extends object>(made: Promise<T>): Promise<T | string> {
  return await made.catch((problem: unknown) => {
    const { code, what } = problem as { readonly code?: unknown; readonly what?: unknown };
    if (typeof what === "string" && LACKING.has(String(code))) return what;
    throw problem;
  });
}
