// The same in what applications compute in: a thread, a forked process, a worker of a cluster.
import { fork } from "node:child_process";
import cluster from "node:cluster";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { answer } from "./answer.mjs";

const here = fileURLToPath(import.meta.url);
const heard = (child) =>
  new Promise((resolve, reject) => {
    child.on("message", resolve);
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`ended with ${code}`)));
  });

if (!isMainThread) {
  parentPort.postMessage(await answer());
} else if (process.send !== undefined) {
  process.send(await answer(), () => process.exit());
} else {
  console.log(`thread ${await heard(new Worker(new URL(import.meta.url)))}`);
  console.log(`process ${await heard(fork(here))}`);
  cluster.setupPrimary({ exec: here });
  console.log(`cluster ${await heard(cluster.fork())}`);
}
