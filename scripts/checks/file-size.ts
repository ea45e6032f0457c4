import { filesIn, publicPackages, readText } from "../workspace.ts";
import type { Check, Problem } from "./problem.ts";

const MEDIAN_LINES = 120;
const MOST_LINES = 500;

/** Longer files, each with the reason. */
const MAY_BE_LONG: ReadonlyMap<string, string> = new Map([
  [
    "packages/ops-torchvision/python/export_detection.py",
    "people copy it to where their model is, and one file needs no installing",
  ],
]);

/** Files that fit in a head: a long one holds two things that can be apart. Generated files are not read. */
export const fileSize: Check = {
  name: "file size",
  run(report) {
    const lines = new Map(sourceFiles().map((file) => [file, readText(file).split("\n").length - 1]));
    const shipped = publicPackages().flatMap(({ folder }) =>
      [...lines].filter(([file]) => file.startsWith(`${folder}/src/`)).map(([, count]) => count),
    );
    const median = shipped.sort((a, b) => a - b)[shipped.length >> 1] ?? 0;
    report(`${lines.size} source files, median of packages ${median} lines, longest ${Math.max(...lines.values())}`);
    const problems: Problem[] = [];
    if (median > MEDIAN_LINES) {
      const what = `the median file has ${median} lines; the budget is ${MEDIAN_LINES}`;
      problems.push({ where: "packages/*/src", what, advice: "split what has grown: one noun or one verb a file" });
    }
    for (const [where, count] of lines) {
      if (count <= MOST_LINES || MAY_BE_LONG.has(where)) continue;
      const what = `${count} lines; no file may have more than ${MOST_LINES}`;
      problems.push({ where, what, advice: "split it where its parts do not need each other" });
    }
    return problems;
  },
};

function sourceFiles(): readonly string[] {
  return filesIn("", ".ts", ".py").filter((file) => !file.endsWith(".gen.ts"));
}
