import { dirname, join } from "node:path";
import { parseImports } from "./imports.ts";

/**
 * Circles of modules that import each other by value, each once, as paths that end where they begin.
 * Type imports are left out: the compiler erases them, so they cannot read a module that has not run yet.
 */
export function moduleCycles(sources: ReadonlyMap<string, string>): readonly (readonly string[])[] {
  const cycles: string[][] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): void => {
    const seen = path.indexOf(file);
    if (seen >= 0) cycles.push([...path.slice(seen), file]);
    if (seen >= 0 || done.has(file)) return;
    path.push(file);
    for (const { specifier, typeOnly } of parseImports(sources.get(file)!)) {
      const target = join(dirname(file), specifier);
      if (!typeOnly && specifier.startsWith(".") && sources.has(target)) visit(target);
    }
    path.pop();
    done.add(file);
  };
  for (const file of sources.keys()) visit(file);
  return cycles;
}
