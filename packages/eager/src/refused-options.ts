// What is wrong with what `eagerOps` cannot take. It is loaded then, and imports nothing, so that bundlers leave together
// what is loaded before.
import type { Backend } from "@pt2/backend";
import type { Pt2ErrorParts } from "@pt2/format";
import type { EagerErrorCode } from "./eager-errors.ts";

/** Returns the error for what is no backend of this version, or a count of programs that is none; `version` is that of the contract. */
export function problemOf(
  backend: Backend | undefined,
  programs: number,
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
  return [
    "eager.options",
    {
      what: `eagerOps() does not take \`{ programs: ${programs} }\``,
      advice: "give an integer from 1 on, or leave it out",
    },
  ];
}
