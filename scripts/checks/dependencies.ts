import { workspacePackages } from "../workspace.ts";
import type { Check } from "./problem.ts";

/** Runtime dependencies of the foundation, each with its reason: inflate is too long to own. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  "@pt2/format": ["fflate"],
  "@pt2/graph": [],
  "@pt2/registry": [],
  "@pt2/backend": [],
};

/** Rows 0 to 3 are what every user carries, in every environment: they bring nothing along. */
export const foundationDependencies: Check = {
  name: "foundation dependencies",
  run: () =>
    workspacePackages().flatMap(({ name, folder, manifest }) => {
      const allowed = ALLOWED[name];
      if (allowed === undefined) return [];
      return Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
        .filter((dependency) => !dependency.startsWith("@pt2/") && !allowed.includes(dependency))
        .map((dependency) => ({
          where: `${folder}/package.json`,
          what: `depends on ${dependency}`,
          advice:
            "rows 0 to 3 have no runtime dependencies: write the small part that is needed, or take it as a parameter",
        }));
    }),
};
