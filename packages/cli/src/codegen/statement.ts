import { stringLiteral } from "../declare/quote.ts";

/** A statement of a generated function: lines of text, or calls of another generated function. */
export type Statement = { readonly kind: "text"; readonly lines: readonly string[] } | FunctionCalls;

/** A call of a generated function for a module, or such calls for numbered modules of which each takes the last result. */
export interface FunctionCalls {
  readonly kind: "calls";
  readonly fn: string;
  /** The namespaces of ops that it takes first. */
  readonly ops: readonly string[];
  readonly isAsync: boolean;
  /** The path of each module from the caller; null if the function reads no weights. */
  readonly paths: readonly (string | null)[];
  readonly args: readonly string[];
  readonly results: readonly string[];
  /** The position of the argument that takes the last result; null for a single call. */
  readonly carries: number | null;
}

/**
 * Joins a call with the calls before it: the function is the same, the next number is in the path, and the only result
 * is given on. `readsLast` tells that nothing else reads it. Returns null where they stay apart.
 */
export function joined(before: FunctionCalls, next: FunctionCalls, readsLast: boolean): FunctionCalls | null {
  const [result] = before.results;
  if (!readsLast || next.fn !== before.fn || before.results.length !== 1 || next.results.length !== 1) return null;
  const carries = next.args.indexOf(result!);
  if (carries < 0 || (before.carries !== null && before.carries !== carries)) return null;
  if (next.args.some((arg, at) => at !== carries && arg !== before.args[at])) return null;
  const paths = [...before.paths, ...next.paths];
  return numbered(paths) === null ? null : { ...before, paths, carries };
}

/** Writes a statement on lines. */
export function statementLines(statement: Statement): readonly string[] {
  if (statement.kind === "text") return statement.lines;
  const { paths, args, results, carries } = statement;
  const names = results.length === 1 ? results[0] : `[${results.join(", ")}]`;
  const [path] = paths as [string | null];
  if (carries === null) return [`const ${names} = ${callText(statement, path === null ? null : stringLiteral(path))};`];
  const { start, template } = numbered(paths)!;
  const again = { ...statement, args: args.map((arg, at) => (at === carries ? results[0]! : arg)) };
  return [
    `let ${names}: Tensor = ${args[carries]};`,
    `for (let i = ${start}; i < ${start + paths.length}; i++) {`,
    `  ${names} = ${callText(again, template)};`,
    "}",
  ];
}

function callText({ fn, ops, isAsync, args }: FunctionCalls, path: string | null): string {
  const weights = path === null ? [] : [`below(weights, ${path})`];
  return `${isAsync ? "await " : ""}${fn}(${[...ops, ...weights, ...args].join(", ")})`;
}

/** Returns what paths have in common that count up in one place, as a template with \`i\`; null for other paths. */
function numbered(paths: readonly (string | null)[]): { readonly start: number; readonly template: string } | null {
  const parts = paths.map((path) => (path ?? "").split("."));
  const [first = [], second = []] = parts;
  // Other names would have to be escaped in a template.
  if (!first.every((part) => /^\w+$/.test(part))) return null;
  const at = first.findIndex((part, i) => part !== second[i]);
  if (at < 0 || !/^\d+$/.test(first[at]!)) return null;
  const start = Number(first[at]);
  const fits = parts.every(
    (path, n) =>
      path.length === first.length && path.every((part, i) => part === (i === at ? `${start + n}` : first[i])),
  );
  return fits ? { start, template: `\`${first.map((part, i) => (i === at ? `\${i}` : part)).join(".")}\`` } : null;
}
