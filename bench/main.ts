// `pnpm bench [--models FOLDER] [--only NAME] [--quick]`: see README.md.
import { parseArgs } from "node:util";
import { compareModel, MODELS } from "./src/models.ts";

const { values } = parseArgs({
  options: {
    models: { type: "string", default: "bench/models" },
    only: { type: "string", multiple: true },
    quick: { type: "boolean", default: false },
    dialect: { type: "string", default: "training" },
  },
});

const names = Object.keys(MODELS).filter((name) => values.only === undefined || values.only.includes(name));
for (const name of names) {
  const measureMs = MODELS[name]! / (values.quick ? 4 : 1);
  const effort = { warmupMs: Math.min(2000, measureMs / 2), measureMs, leastRounds: 7 };
  const program = values.dialect === "aten" ? `${name}_aten` : name;
  const { ours, theirs, ratio, gflop, errors } = await compareModel(values.models, program, name, effort);
  const percent = (part: number): string => `±${(part * 100).toFixed(0)} %`;
  console.log(
    name.padEnd(20),
    `${ours.median.toFixed(2).padStart(7)} ms ${percent(ours.spread)} (min ${ours.min.toFixed(2)})`,
    `ort ${theirs.median.toFixed(2).padStart(7)} ms ${percent(theirs.spread)} (min ${theirs.min.toFixed(2)})`,
    `ratio ${ratio.median.toFixed(3)} ${percent(ratio.spread)}`,
    `${((gflop / ours.median) * 1000).toFixed(1)} GFLOP/s of ${gflop.toFixed(2)} GFLOP`,
    `errors ${errors.ours.toExponential(1)} ${errors.theirs.toExponential(1)}`,
  );
}
process.exit(0);
