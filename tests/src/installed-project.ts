import { readdirSync, readFileSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Captured, capture } from "./capture.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A published package in the repository. */
export interface PublishedPackage {
  readonly name: string;
  readonly folder: string;
  /** The specifiers of its entry points that are code. */
  readonly entryPoints: readonly string[];
  readonly dependencies: readonly string[];
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Lists the packages that are published. */
export function publishedPackages(): readonly PublishedPackage[] {
  return readdirSync(join(ROOT, "packages")).flatMap((folder) => {
    const path = join(ROOT, "packages", folder);
    const { name, private: own, exports = {}, dependencies = {} } = manifestIn(path);
    if (own === true) return [];
    const code = Object.entries(exports).filter(([, target]) => typeof target === "object");
    const entryPoints = code.map(([entry]) => join(name, entry));
    return [{ name, folder: path, entryPoints, dependencies: Object.keys(dependencies) }];
  });
}

/**
 * Packs every published package, and what they need from the registry, and installs the tarballs with npm into `folder`
 * as a user would, but without a network.
 */
export async function installInto(folder: string): Promise<void> {
  const packages = publishedPackages();
  const ours = new Set(packages.map(({ name }) => name));
  const others = packages.flatMap((pkg) =>
    pkg.dependencies.filter((name) => !ours.has(name)).map((name) => join(pkg.folder, "node_modules", name)),
  );
  const tarballs = tarballsOf(folder);
  await mkdir(tarballs, { recursive: true });
  const target = ["--pack-destination", tarballs];
  await command("pnpm", ["--recursive", "--filter", "./packages/*", "pack", ...target], ROOT);
  await command("npm", ["pack", ...new Set(others), "--ignore-scripts", ...target], folder);
  const files = readdirSync(tarballs).map((file) => `./tarballs/${file}`);
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "user", private: true, type: "module" }));
  await command("npm", ["install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts", ...files], folder);
  // Users have these types, and no tarball brings them.
  await mkdir(join(folder, "node_modules/@types"), { recursive: true });
  await symlink(join(ROOT, "node_modules/@types/node"), join(folder, "node_modules/@types/node"), "junction");
}

/** The folder of the tarballs that {@link installInto} has packed for a project. */
export function tarballsOf(folder: string): string {
  return join(folder, "tarballs");
}

/** Runs a program and returns its stdout. Fails with its whole output if it fails. */
export async function command(program: string, args: readonly string[], cwd: string): Promise<string> {
  return (await output(program, args, cwd)).stdout;
}

/** The same with its stderr, where programs warn. */
export async function output(program: string, args: readonly string[], cwd: string): Promise<Captured> {
  // The environment is that of a user's shell, without this test run's conditions, loaders and package manager
  // settings.
  const kept = Object.entries(process.env).filter(([name]) => !/^(NODE_|VITEST|npm_)/i.test(name));
  const captured = await capture(program, args, { cwd, env: Object.fromEntries(kept) });
  if (captured.code === 0) return captured;
  const { code, stdout, stderr } = captured;
  throw new Error(`${program} ${args.join(" ")} ended with ${code}\n${stdout}${stderr}`);
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}
