// Proves that packages import downwards only, and prints the house: `tsx scripts/check-arrows.ts`.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Problem } from "./checks/problem.ts";
import { parseImports } from "./imports.ts";
import { mayImport, memberOf, ROWS } from "./rows.ts";
import { filesIn, readText, type WorkspacePackage, workspacePackages } from "./workspace.ts";

/** Everything in the workspace that breaks a rule of the house. */
export function checkArrows(): readonly Problem[] {
  return workspacePackages().flatMap((pkg) => [...checkManifest(pkg), ...checkSources(pkg)]);
}

/** The house as text: one line per package, with the arrows that its package.json really has. */
export function drawHouse(): string {
  const present = new Map(workspacePackages().map((pkg) => [pkg.name, pkg]));
  const lines = ROWS.flatMap((row, index) =>
    row.map(({ name, what }, i) => {
      const pkg = present.get(name);
      const arrows = pkg === undefined ? "(not in this version)" : arrowsOf(pkg);
      return `${i === 0 ? `row ${index}` : "     "}  ${short(name).padEnd(17)} ${what.padEnd(50)} ${arrows}`.trimEnd();
    }),
  );
  return lines.join("\n");
}

function arrowsOf({ manifest }: WorkspacePackage): string {
  const names = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
    .filter(isOurs)
    .map(short);
  return names.length === 0 ? "" : `→ ${names.join(" ")}`;
}

function checkManifest({ name, folder, manifest }: WorkspacePackage): readonly Problem[] {
  const where = `${folder}/package.json`;
  if (mayImport(name, { test: false }) === undefined) {
    return [{ where, what: `${name} is in no row`, advice: "give it its place in ROWS, scripts/rows.ts" }];
  }
  const shipped = { ...manifest.dependencies, ...manifest.peerDependencies };
  return [
    ...forbidden(name, Object.keys(shipped), false, where),
    ...forbidden(name, Object.keys(manifest.devDependencies ?? {}), true, where),
  ];
}

function checkSources(pkg: WorkspacePackage): readonly Problem[] {
  // AssemblyScript, which is no TypeScript, cannot import packages.
  const files = filesIn(pkg.folder, ".ts").filter((file) => !file.startsWith(`${pkg.folder}/assembly/`));
  const sources = new Map(files.map((file) => [file, readText(file)]));
  const { dependencies, devDependencies, peerDependencies } = pkg.manifest;
  const shipped = new Set(Object.keys({ ...dependencies, ...peerDependencies }));
  const all = new Set([...shipped, ...Object.keys(devDependencies ?? {})]);
  const problems: Problem[] = [];
  for (const [file, source] of sources) {
    const test = !file.startsWith(`${pkg.folder}/src/`) || TEST_FILE.test(file);
    for (const specifier of parseImports(source)) {
      const escapes = specifier.startsWith(".") && !join(file, "..", specifier).startsWith(`${pkg.folder}/`);
      if (escapes && memberOf(pkg.name)?.inside !== true) {
        problems.push({ where: file, what: `imports ${specifier}, outside its package`, advice: BY_NAME });
      }
      const name = packageOf(specifier);
      if (name === undefined || name === pkg.name) continue;
      problems.push(...forbidden(pkg.name, [name], test, file));
      if (!(test ? all : shipped).has(name) && isOurs(name)) {
        problems.push({ where: file, what: `imports ${name}, which its package.json does not name`, advice: DECLARE });
      }
    }
  }
  return problems;
}

function forbidden(from: string, to: readonly string[], test: boolean, where: string): readonly Problem[] {
  const allowed = mayImport(from, { test });
  const wrong = allowed === undefined ? [] : to.filter((name) => isOurs(name) && !allowed.has(name));
  return wrong.map((name) => ({ where, what: `${short(from)} must not depend on ${short(name)}`, advice: DOWNWARDS }));
}

const TEST_FILE = /\.test[.-]/;
const BY_NAME = "import other packages by name, through their entry points";
const DECLARE = "add it to dependencies (to devDependencies when only tests need it)";
const DOWNWARDS =
  "arrows go to earlier rows only: move the shared type or function into the lowest row that can define it";

function packageOf(specifier: string): string | undefined {
  return /^@[^/]+\/[^/]+/.exec(specifier)?.[0];
}

function isOurs(name: string): boolean {
  return name.startsWith("@pt2/");
}

function short(name: string): string {
  return name.replace("@pt2/", "");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const problems = checkArrows();
  for (const { where, what, advice } of problems) console.error(`${where}: ${what}\n    ${advice}`);
  console.log(drawHouse());
  process.exitCode = problems.length > 0 ? 1 : 0;
}
