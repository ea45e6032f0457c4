import type { Node } from "@pt2/graph";

/**
 * Returns the error code of a check that fails while a program runs: `registry.assertion` if the program itself asserts
 * something (the node has a message, or no results), and `backend.data` if an op refuses its data.
 */
export function failedCheckCode({ args, outputs }: Node): "registry.assertion" | "backend.data" {
  const asserts = outputs.length === 0 || args.some(({ name }) => name === "assert_msg");
  return asserts ? "registry.assertion" : "backend.data";
}
