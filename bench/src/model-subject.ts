// Runs a model on the wasm backend or on ONNX Runtime Web: `model-subject.ts WHO FOLDER NAME BASE THREADS`, with the protocol
// of `SubjectProcess`. The first line has the worst error against PyTorch as a fraction of the tolerance.

import { createInterface } from "node:readline";
import { openSubject, type Who } from "./models.ts";

const [who, folder, name, base, threads] = process.argv.slice(2) as [Who, string, string, string, string];
const { subject, error } = await openSubject(who, { folder, name, base, threads: Number(threads) });
console.log(JSON.stringify(error));
for await (const _line of createInterface({ input: process.stdin })) {
  const start = performance.now();
  await subject.run();
  console.log(performance.now() - start);
}
process.exit(0);
