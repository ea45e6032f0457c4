/**
 * Writes docs/op-samples.md from the logs of walks over samples of PyTorch's op database.
 *
 *     node -C dev --import tsx tests/src/op-samples/write-report.ts LOG...
 */
import { writeFileSync } from "node:fs";
import { reportOf } from "./report.ts";
import { readWalk } from "./walk-log.ts";

const TARGET = new URL("../../../docs/op-samples.md", import.meta.url);

const logs = process.argv.slice(2);
if (logs.length === 0) throw new Error("usage: write-report.ts LOG...");
writeFileSync(TARGET, reportOf(logs.map(readWalk)));
