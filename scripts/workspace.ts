import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root folder. */
export const ROOT: string = fileURLToPath(new URL("..", import.meta.url)).replace(/[\\/]$/, "");

/** The part of a package.json that the scripts read. */
export interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, string | Conditions>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** What an entry point is under each condition of a resolver; `dev` may depend on another one. */
type Conditions = Readonly<Record<string, string | Readonly<Record<"default", string>>>>;

/** A package of the workspace. */
export interface WorkspacePackage {
  readonly name: string;
  /** From the root, with forward slashes: `packages/format`. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** A way into a package: what follows its name, and the source behind it. */
export interface EntryPoint {
  readonly package: WorkspacePackage;
  /** As users write it: `@pt2/format/node`. */
  readonly name: string;
  /** From the root. */
  readonly source: string;
}

/** Every package of the workspace, as `pnpm-workspace.yaml` lists them, sorted by folder. */
export function workspacePackages(): readonly WorkspacePackage[] {
  return workspaceGlobs()
    .flatMap((glob) => (glob.endsWith("/*") ? foldersIn(glob.slice(0, -2)) : [glob]))
    .flatMap((folder) => {
      const manifest = readManifest(folder);
      return manifest === undefined ? [] : [{ name: manifest.name, folder, manifest }];
    })
    .sort((a, b) => (a.folder < b.folder ? -1 : 1));
}

/** The packages that are published. */
export function publicPackages(): readonly WorkspacePackage[] {
  return workspacePackages().filter(({ manifest }) => manifest.private !== true);
}

/** The entry points that are code, as the `dev` condition resolves them. */
export function entryPoints(pkg: WorkspacePackage): readonly EntryPoint[] {
  return Object.entries(pkg.manifest.exports ?? {}).flatMap(([path, target]) =>
    typeof target === "string" || target.dev === undefined
      ? []
      : [
          {
            package: pkg,
            name: join(pkg.name, path),
            source: join(pkg.folder, typeof target.dev === "string" ? target.dev : target.dev.default),
          },
        ],
  );
}

/** Files under a folder whose names end in one of `endings`, from the root, sorted. Built and installed files excluded. */
export function filesIn(folder: string, ...endings: readonly string[]): readonly string[] {
  const found: string[] = [];
  const visit = (path: string): void => {
    for (const entry of readdirSync(join(ROOT, path), { withFileTypes: true })) {
      const inner = path === "" ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) visit(inner);
      else if (entry.isFile() && endings.some((ending) => entry.name.endsWith(ending))) found.push(inner);
    }
  };
  visit(folder);
  return found.sort();
}

/** A file's text; `path` is from the root. */
export function readText(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** A path from the root, with forward slashes. */
export function fromRoot(path: string): string {
  return relative(ROOT, path).split(sep).join("/");
}

const SKIPPED: ReadonlySet<string> = new Set([
  ...["node_modules", "dist", "coverage", "fixtures", "model"],
  ...[".git", ".turbo", ".cache", ".venv", ".ruff_cache", "__pycache__"],
]);

function workspaceGlobs(): readonly string[] {
  const listed = /^packages:\n((?: +- .*\n)+)/m.exec(readText("pnpm-workspace.yaml"))?.[1] ?? "";
  return [...listed.matchAll(/- (\S+)/g)].map(([, glob]) => glob!);
}

function foldersIn(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${folder}/${entry.name}`);
}

function readManifest(folder: string): Manifest | undefined {
  try {
    return JSON.parse(readText(`${folder}/package.json`)) as Manifest;
  } catch {
    return undefined;
  }
}
