// What is wrong with what `eagerOps` cannot take. It is loaded then, and imports nothing, so that bundlers leave together
// what is loaded before.
import type { Backend } from "@pt2/backend";
import type { Pt2ErrorParts } from "@pt2/format";
import type { EagerErrorCode } from "./eager-errors.ts";

const POSSIBLE: Readonly<Record<string, (value: unknown) => boolean>> = {
  ops: Array.isArray,
  precision: (value) => value === "exact" || value === "fast",
  programs: (value) => Number.isSafeInteger(value) && (value as number) > 0,
};

/** Returns the error for a backend or options, of which something is impossible; `version` is that of the contract. */
export function problemOf(
  backend: Backend | undefined,
  options: object | null,
  version: number,
): readonly [EagerErrorCode, Pt2ErrorParts] {
  if (typeof backend?.compile !== "function") {
    const what =
      typeof backend === "function" ? "`backend` is a function, not a backend" : "`backend` is not a backend";
    return ["eager.options", { what, advice: "pass one: eagerOps(wasm()), eagerOps(await libtorch())" }];
  }
  const { name, apiVersion } = backend;
  if (apiVersion !== version) {
    return [
      "eager.backend-version",
      {
        what: `Backend \`${name}\` implements version ${apiVersion} of the contract, and this needs ${version}`,
        advice: "install versions of @pt2 packages that belong together",
      },
    ];
  }
  const wrong = Object.entries(options ?? {}).find(
    ([option, value]) => value !== undefined && POSSIBLE[option]?.(value) !== true,
  );
  const given = wrong === undefined ? String(options) : `{ ${wrong[0]}: ${textOf(wrong[1])} }`;
  return [
    "eager.options",
    {
      what: `eagerOps() does not take \`${given}\``,
      advice: 'its options are { ops: [set, …], precision: "fast" | "exact", programs: a number from 1 on }',
    },
  ];
}

function textOf(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  return typeof value === "object" ? "object" : String(value);
}
