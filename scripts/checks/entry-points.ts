import { type EntryPoint, entryPoints, publicPackages } from "../workspace.ts";
import { bundle } from "./bundle.ts";
import type { Check, Problem } from "./problem.ts";

const MOST_VALUES = 40;

/** Entry points that can be learnt in a sitting, and that browsers can load unless their name says `node`. */
export const entryPointBudgets: Check = {
  name: "entry points",
  async run(report) {
    const points = publicPackages().flatMap(entryPoints);
    const problems = await Promise.all(points.map(inspect));
    report(`${points.length} entry points, each with at most ${MOST_VALUES} exported values`);
    return problems.flat();
  },
};

async function inspect(entry: EntryPoint): Promise<readonly Problem[]> {
  const code = `export * from "./${entry.source.slice(entry.package.folder.length + 1)}";`;
  const { exports, nodeImports } = await bundle({ code, folder: entry.package.folder, alone: true });
  const problems: Problem[] = [];
  if (exports.length > MOST_VALUES) {
    const advice = "move a family behind a sub-path of its own, or keep helpers to the package";
    problems.push({ where: entry.name, what: `exports ${exports.length} values, at most ${MOST_VALUES}`, advice });
  }
  if (!mayUseNode(entry)) {
    for (const { module, from } of nodeImports) {
      const advice = "take what it needs as a parameter, or move it behind the package's /node entry point";
      problems.push({ where: from, what: `${entry.name} reaches ${module}, which browsers lack`, advice });
    }
  }
  return problems;
}

/** `@pt2/format/node`, `@pt2/backend-wasm/worker-node`, and the command line. */
function mayUseNode({ name, package: { name: owner } }: EntryPoint): boolean {
  return owner === "@pt2/cli" || /[/-]node$/.test(name);
}
