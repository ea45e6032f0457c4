// The entry of a helper thread in Node.

import { parentPort, workerData } from "node:worker_threads";
import { boardOf, endHelper } from "./threads/board.ts";
import { help } from "./threads/help.ts";
import type { HelperData } from "./worker/node-thread.ts";
import { newProcessorOf } from "./worker/processors-node.ts";

const { board, helper } = workerData as HelperData;
process.on("exit", () => endHelper(boardOf(board), helper));
help(board, helper, (receive) => parentPort!.on("message", receive), newProcessorOf());
