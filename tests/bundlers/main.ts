// Bundles and runs the packed packages as users do, with tools that npm brings: `pnpm bundlers [NAME…]`. Needs `pnpm build`.
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { command, installInto } from "../src/installed-project.ts";
import { OTHERS, OWN } from "./bundlers.ts";
import { ANSWER, writeProject } from "./project.ts";

const wanted = process.argv.slice(2);
const chosen = [...OWN, ...OTHERS].filter(
  ({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)),
);
const base = await mkdtemp(join(tmpdir(), "pt2-bundlers-"));
let failed = 0;
try {
  const packed = join(base, "packed");
  await installInto(packed);
  for (const { name, needs, files, run } of chosen) {
    const folder = await mkdtemp(join(base, "project-"));
    const started = performance.now();
    let outcome: string;
    try {
      for (const entry of ["package.json", "package-lock.json", "tarballs", "node_modules"]) {
        await cp(join(packed, entry), join(folder, entry), { recursive: true, verbatimSymlinks: true });
      }
      if (needs.length > 0) await command("npm", ["install", "--no-audit", "--no-fund", ...needs], folder);
      await writeProject(folder, files);
      const answers = await run(folder);
      outcome = answers.length > 0 && answers.every((answer) => answer === ANSWER) ? "ok" : `answered ${answers}`;
    } catch (error) {
      outcome = `failed: ${error instanceof Error ? error.message : error}`;
    }
    if (outcome !== "ok") failed++;
    console.log(`${name}: ${outcome} (${((performance.now() - started) / 1000).toFixed(0)} s)`);
    if (process.env.PT2_KEEP === undefined) await rm(folder, { recursive: true, force: true });
    else console.log(`  in ${folder}: ${(await readdir(folder)).join(" ")}`);
  }
} finally {
  if (process.env.PT2_KEEP === undefined) await rm(base, { recursive: true, force: true });
}
console.log(
  failed === 0 ? `${chosen.length} of ${chosen.length} answer ${ANSWER}` : `${failed} of ${chosen.length} fail`,
);
process.exitCode = failed === 0 ? 0 : 1;
