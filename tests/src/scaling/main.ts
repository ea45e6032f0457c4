// Runs `pnpm scaling`: see bench/notes/growth.md. Each load has a process of its own, which prints what it took.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type LoadOptions, load, tensor } from "@pt2/runtime/node";
import { captureScript } from "../capture.ts";
import { type Subject, subjects } from "../soak/subjects.ts";
import { ELEMENTS, GROWING, type GrowingProgram } from "./programs.ts";

const { values } = parseArgs({
  options: {
    backend: { type: "string", default: "" },
    program: { type: "string", default: "" },
    sizes: { type: "string", default: "1000,10000,100000" },
    file: { type: "string" },
  },
});
const sizes = values.sizes.split(",").map(Number);

/** Measures the processor time of a load and of a first call, and the growth of the process. */
async function measure(subject: Subject, program: GrowingProgram, file: string, size: number): Promise<string> {
  const { backend, close } = await subject.create();
  const options: LoadOptions = { backend, ...(subject.precision && { precision: subject.precision }) };
  const inputs = Array.from({ length: program.inputs(size) }, () =>
    tensor("float32", [ELEMENTS], new Float32Array(ELEMENTS)),
  );
  const { rss } = process.memoryUsage();
  const begin = process.cpuUsage();
  const model = await load(file, options);
  const loaded = process.cpuUsage(begin);
  await model.runFlat(inputs);
  const called = process.cpuUsage(begin);
  const seconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1e6;
  const grown = (process.memoryUsage().rss - rss) / 1e6;
  await model.dispose();
  await close();
  return `${seconds(loaded).toFixed(2)} s + ${(seconds(called) - seconds(loaded)).toFixed(2)} s, ${grown.toFixed(0)} MB`;
}

const wanted = (await subjects()).filter(({ name, missing }) => missing === null && name.includes(values.backend));
const programs = GROWING.filter(({ name }) => name.includes(values.program));
if (values.file !== undefined) {
  console.log(await measure(wanted[0]!, programs[0]!, values.file, sizes[0]!));
} else {
  const folder = await mkdtemp(join(tmpdir(), "pt2-scaling-"));
  console.log(`| program | backend | ${sizes.join(" | ")} |\n| --- | --- |${" --- |".repeat(sizes.length)}`);
  for (const program of programs) {
    for (const size of sizes) await writeFile(join(folder, `${size}.pt2`), await program.archive(size));
    for (const { name } of wanted) {
      const cells: string[] = [];
      for (const size of sizes) {
        const args = ["--backend", name, "--program", program.name, "--sizes", `${size}`];
        const script = [fileURLToPath(import.meta.url), ...args, "--file", join(folder, `${size}.pt2`)];
        const { stdout, stderr } = await captureScript(script);
        cells.push(stdout.trim() || `failed: ${stderr.trim().split("\n").at(-1)}`);
      }
      console.log(`| ${program.name} | ${name} | ${cells.join(" | ")} |`);
    }
  }
  await rm(folder, { recursive: true });
}
// Dawn keeps the event loop alive.
process.exit(0);
