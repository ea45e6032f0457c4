import type { Node } from "@pt2/graph";

/**
 * The code of the error of a check that fails while a program runs: `registry.assertion` where the program asserts
 * something itself, with a message of its own or without results, and `backend.data` where an op refuses its data.
 */
export function failedCheckCode({ args, outputs }: Node): "registry.assertion" | "backend.data" {
  const asserts = outputs.length === 0 || args.some(({ name }) => name === "assert_msg");
  return asserts ? "registry.assertion" : "backend.data";
}
