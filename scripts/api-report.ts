// Writes what each package exports, with full types, to its API.txt, so that a change of the public surface is seen in a
// diff. It reads the declarations that `tsc -b` writes. With --check: fails when a file is stale.
import { existsSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { type Declarations, readDeclarations } from "./declarations.ts";
import { type EntryPoint, entryPoints, publicPackages, ROOT, readText } from "./workspace.ts";
import { writeGenerated } from "./write-generated.ts";

const modules = new Map<string, Declarations>();

function moduleAt(path: string): Declarations {
  const known = modules.get(path);
  if (known !== undefined) return known;
  if (!existsSync(join(ROOT, path))) throw new Error(`${path} is missing: run \`tsc -b\` first`);
  const read = readDeclarations(readText(path));
  modules.set(path, read);
  return read;
}

/** The declaration file of a module that another one names; null for a module of another package. */
function resolve(from: string, specifier: string): string | null {
  if (!specifier.startsWith(".")) return null;
  return posix.join(dirname(from), specifier.replace(/\.[jt]s$/, ".d.ts"));
}

/** The text of an exported name, followed through re-exports. */
function textOf(path: string, name: string): string | undefined {
  const { declared, aliases, stars } = moduleAt(path);
  const own = declared.get(name);
  if (own !== undefined) {
    const lines = own.split("\n").length;
    return path.endsWith(".gen.d.ts") && lines > 20 ? `// ${name}: ${lines} generated lines` : own;
  }
  const alias = aliases.get(name);
  if (alias !== undefined) {
    if (alias.from === null) return textOf(path, alias.name);
    const target = resolve(path, alias.from);
    return target === null
      ? `export { ${alias.name} } from ${JSON.stringify(alias.from)};`
      : textOf(target, alias.name);
  }
  for (const from of stars) {
    const target = resolve(path, from);
    const found = target === null ? undefined : textOf(target, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Every exported name of a module. */
function namesOf(path: string): ReadonlySet<string> {
  const { exported, stars } = moduleAt(path);
  const inner = stars.flatMap((from) => {
    const target = resolve(path, from);
    return target === null ? [] : [...namesOf(target)];
  });
  return new Set([...exported, ...inner]);
}

/** Whether an exported name has a doc comment, where it is declared. Names of other packages have theirs there. */
function isDocumented(path: string, name: string): boolean {
  const { declared, documented, aliases, stars } = moduleAt(path);
  if (declared.has(name)) return documented.has(name);
  const alias = aliases.get(name);
  if (alias?.from === null) return isDocumented(path, alias.name);
  const targets = alias === undefined ? stars : [alias.from];
  return targets.every((from) => {
    const target = resolve(path, from!);
    return (
      target === null || textOf(target, alias?.name ?? name) === undefined || isDocumented(target, alias?.name ?? name)
    );
  });
}

function section({ name, package: { folder }, source }: EntryPoint): string {
  const path = source.replace(`${folder}/src/`, `${folder}/dist/`).replace(/\.ts$/, ".d.ts");
  const parts = [...namesOf(path)].sort().map((exported) => {
    const text = textOf(path, exported);
    if (text === undefined) throw new Error(`${path} exports ${exported}, which has no declaration`);
    if (!isDocumented(path, exported)) {
      console.error(`${name} exports ${exported}, which has no doc comment: say what it is, and its contract`);
      process.exitCode = 1;
    }
    return text;
  });
  return `## ${name}\n\n${parts.join("\n\n")}\n`;
}

for (const pkg of publicPackages()) {
  const target = `${pkg.folder}/API.txt`;
  const head = `The public surface of ${pkg.name}, written by \`pnpm gen:api\`. A change here is a change for users.\n`;
  const text = [head, ...entryPoints(pkg).map(section)].join("\n");
  writeGenerated(target, text, "pnpm gen:api");
}
