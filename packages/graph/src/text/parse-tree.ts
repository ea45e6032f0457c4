import type { TreeSpec } from "@pt2/format";
import type { Scanner } from "../scanner.ts";

const MAX_DEPTH = 200;

/** Parses the output of `printTree`. */
export function parseTree(scanner: Scanner, depth = 0): TreeSpec {
  if (depth > MAX_DEPTH) scanner.fail(`a structure nested deeper than ${MAX_DEPTH}`);
  const child = (): TreeSpec => parseTree(scanner, depth + 1);
  if (scanner.accept("*")) return { type: null, context: null, children: [] };
  const word = scanner.word();
  if (word === "tuple" || word === "list") {
    return { type: `builtins.${word}`, context: null, children: scanner.list("(", ")", child) };
  }
  if (word === "dict") {
    const entries = scanner.list("(", ")", () => {
      const key = scanner.tryString() ?? Number(scanner.tryNumber() ?? scanner.fail("expected a key"));
      scanner.expect(":");
      return [key, child()] as const;
    });
    return { type: "builtins.dict", context: entries.map(([key]) => key), children: entries.map(([, spec]) => spec) };
  }
  if (word !== "node") return scanner.fail(`\`${word}\` is not a structure`);
  const type = scanner.string();
  const context = parseJson(scanner, scanner.string());
  return { type, context, children: scanner.list("(", ")", child) };
}

function parseJson(scanner: Scanner, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return scanner.fail("the context is not JSON");
  }
}
