import { readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { expect, test } from "vitest";
import { parseImports } from "./imports.ts";
import { ROOT } from "./workspace.ts";

interface Turbo {
  readonly tasks: { readonly build: { readonly inputs: readonly string[] } };
}

const read = (file: string): string => readFileSync(join(ROOT.replaceAll("\\", "/"), file), "utf8");

/** A file of the repository and what it imports of it. */
function importedBy(file: string, found: Set<string> = new Set()): ReadonlySet<string> {
  found.add(file);
  for (const specifier of parseImports(read(file))) {
    if (!specifier.startsWith(".")) continue;
    const imported = join(dirname(file), specifier);
    if (!found.has(imported)) importedBy(imported, found);
  }
  return found;
}

test("a script that writes a package's files is an input of its build", () => {
  const { inputs } = (JSON.parse(read("turbo.json")) as Turbo).tasks.build;
  const fromRoot = inputs.filter((path) => path.startsWith("../../")).map((path) => path.slice("../../".length));
  const needed = [...importedBy("scripts/bundle-package.ts"), "tsconfig.base.json"];
  expect(fromRoot.sort()).toEqual(needed.sort());
});
