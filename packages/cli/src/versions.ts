import { createRequire } from "node:module";
import { installedIn } from "./optional-package.ts";

/** The packages that commands load; those of a backend may be missing, or of another release. */
const PACKAGES = [
  "cli",
  "format",
  "graph",
  "registry",
  "backend",
  "runtime",
  "backend-wasm",
  "backend-libtorch",
  "backend-webgpu",
];

/** Returns the versions of the installed packages by name, this one first. */
export function versions(): Readonly<Record<string, string>> {
  const require = createRequire(import.meta.url);
  return Object.fromEntries(
    PACKAGES.flatMap((name) => {
      const version = versionOf(`@pt2/${name}`, require);
      return version === undefined ? [] : [[`@pt2/${name}`, version]];
    }),
  );
}

function versionOf(name: string, require: NodeJS.Require): string | undefined {
  const path = `${name}/package.json`;
  try {
    return (require(path) as { readonly version: string }).version;
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw problem;
    const found = installedIn(process.cwd(), path);
    return found && (require(found) as { readonly version: string }).version;
  }
}
