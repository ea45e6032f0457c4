// Everything that holds before a commit, each failure with what it means: `pnpm check [NAME…]`.
import { styleText } from "node:util";
import { checkArrows, drawHouse } from "./check-arrows.ts";
import { browserSize } from "./checks/browser-size.ts";
import { foundationDependencies } from "./checks/dependencies.ts";
import { entryPointBudgets } from "./checks/entry-points.ts";
import { cppFormat, cppLint, python } from "./checks/external-tools.ts";
import { fileSize } from "./checks/file-size.ts";
import { forbiddenText } from "./checks/forbidden-text.ts";
import { generatedFiles } from "./checks/generated.ts";
import { namesakes } from "./checks/namesakes.ts";
import { opNames } from "./checks/op-names.ts";
import { packedPackages } from "./checks/packed.ts";
import type { Check, Problem } from "./checks/problem.ts";
import { style, types, unused } from "./checks/tools.ts";

const arrows: Check = {
  name: "arrows",
  run(report) {
    report(drawHouse());
    return checkArrows();
  },
};

const CHECKS: readonly Check[] = [
  ...[types, style, python, cppFormat, cppLint, unused, arrows, foundationDependencies],
  ...[fileSize, namesakes, entryPointBudgets, browserSize, forbiddenText, opNames, generatedFiles, packedPackages],
];

/** A check that cannot finish has found something, and the others still run. */
async function attempt(check: Check, report: (line: string) => void): Promise<readonly Problem[]> {
  try {
    return await check.run(report);
  } catch (error) {
    return [{ where: check.name, what: String(error), advice: "the check itself could not finish: see what it says" }];
  }
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !CHECKS.some((check) => check.name === name));
if (unknown.length > 0) {
  console.error(`No check is called ${unknown.join(", ")}. There are: ${CHECKS.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}
let failures = 0;
for (const check of CHECKS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const started = performance.now();
  const lines: string[] = [];
  const problems = await attempt(check, (line) => lines.push(line));
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const mark = problems.length === 0 ? styleText("green", "ok  ") : styleText("red", "FAIL");
  console.log(`${mark} ${check.name} (${seconds} s)`);
  for (const line of lines) console.log(line.replace(/^/gm, "     "));
  for (const { where, what, advice } of problems) {
    console.log(`     ${styleText("red", where)}: ${what.replace(/\n/g, "\n       ")}\n       → ${advice}`);
  }
  failures += problems.length;
}
console.log(failures === 0 ? "\nEverything holds." : `\n${failures} problem${failures === 1 ? "" : "s"}.`);
process.exitCode = failures === 0 ? 0 : 1;
