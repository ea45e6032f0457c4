import { type EntryPoint, entryPoints, publicPackages } from "../workspace.ts";
import { bundle } from "./bundle.ts";
import type { Check, Problem } from "./problem.ts";

/**
 * A new entry point replaces another: users learn packages, not paths. Four more came with packages that most pages do not
 * need: eager calls, gradients, training, torchvision's ops. These have a sub-path for the kernels of each backend, of which a
 * page imports one; pictures are read otherwise in Node than in a page. What all packages check options with is apart from what
 * opens archives. Language models have a package of their own.
 */
const MOST_ENTRY_POINTS = 33;
const MOST_VALUES = 40;
/** The toolkit of backends that lower programs, planner, strides and windows, which backends use together. */
const MOST_VALUES_OF_ENGINE = 62;

/** Entry points that can be learned in a sitting, and that browsers can load unless their name says `node`. */
export const entryPointBudgets: Check = {
  name: "entry points",
  async run(report) {
    const points = publicPackages().flatMap(entryPoints);
    const problems = await Promise.all(points.map(inspect));
    report(
      `${points.length} entry points of at most ${MOST_ENTRY_POINTS}, each with at most ${MOST_VALUES} exported values`,
    );
    if (points.length <= MOST_ENTRY_POINTS) return problems.flat();
    const what = `${points.length} entry points in all packages; at most ${MOST_ENTRY_POINTS}`;
    const advice =
      "export it from an entry point that is there, or join two; what only the project imports is not public";
    return [...problems.flat(), { where: "packages/*/package.json", what, advice }];
  },
};

async function inspect(entry: EntryPoint): Promise<readonly Problem[]> {
  const code = `export * from "./${entry.source.slice(entry.package.folder.length + 1)}";`;
  const { exports, nodeImports } = await bundle({ code, folder: entry.package.folder, alone: true });
  const problems: Problem[] = [];
  const most = entry.name === "@pt2/engine" ? MOST_VALUES_OF_ENGINE : MOST_VALUES;
  if (exports.length > most) {
    const advice = "move a family behind a sub-path of its own, or keep helpers to the package";
    problems.push({ where: entry.name, what: `exports ${exports.length} values, at most ${most}`, advice });
  }
  if (!mayUseNode(entry)) {
    for (const { module, from } of nodeImports) {
      const advice = "take what it needs as a parameter, or move it behind the package's /node entry point";
      problems.push({ where: from, what: `${entry.name} reaches ${module}, which browsers lack`, advice });
    }
  }
  return problems;
}

/** `@pt2/format/node` and its like. */
function mayUseNode({ name }: EntryPoint): boolean {
  return name.endsWith("/node");
}
