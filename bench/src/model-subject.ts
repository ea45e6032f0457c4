// Runs a model on the wasm backend or on ONNX Runtime Web: `model-subject.ts WHO FOLDER NAME BASE THREADS`, with the protocol
// of `SubjectProcess`. The first line has the worst error against PyTorch as a fraction of the tolerance.

import { openSubject, type Who } from "./models.ts";
import { answerRuns } from "./subject-process.ts";

const [who, folder, name, base, threads] = process.argv.slice(2) as [Who, string, string, string, string];
const { subject, error } = await openSubject(who, { folder, name, base, threads: Number(threads) });
await answerRuns(error, subject.run);
