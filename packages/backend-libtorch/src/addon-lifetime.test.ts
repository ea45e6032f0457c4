import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";

/** `slow()` begins an op of some tens of milliseconds on the pool. */
const prelude = (file: string): string => `
  const module_ = { exports: {} };
  process.dlopen(module_, ${JSON.stringify(file)});
  const addon = module_.exports;
  const side = { kind: "int", value: 900 };
  const [tensor] = addon.callSync("aten::ones", [{ name: "size", value: { kind: "list", items: [side, side] } }]);
  const value = { kind: "tensor", tensor };
  const slow = () => addon.call("aten::mm", [{ name: "self", value }, { name: "mat2", value }]);
`;

interface Ended {
  readonly code: number | string | null;
  readonly output: string;
}

describeWithLibtorch("the native module and the end of its environment", ({ file }) => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pt2-lifetime-"));
    await writeFile(join(folder, "prelude.cjs"), `${prelude(file)}\nmodule.exports = { addon, slow };`);
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function end(script: string): Promise<Ended> {
    const path = join(folder, "main.cjs");
    await writeFile(path, `const { addon, slow } = require("./prelude.cjs");\n${script}`);
    return new Promise((resolve) => {
      execFile(process.execPath, [path], (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : (error.signal ?? error.code ?? null), output: stdout + stderr }),
      );
    });
  }

  it("keeps the process alive while work is pending, and no longer", async () => {
    const ended = await end(`slow().then(() => console.log("computed"));`);
    expect(ended).toEqual({ code: 0, output: "computed\n" });
  });

  it("does not hold up an exit under a run, and keeps its status", async () => {
    const ended = await end(
      `slow().then(() => process.exit(7));
       for (let i = 0; i < 50; i++) slow().then(() => console.log("too late"));`,
    );
    expect(ended).toEqual({ code: 7, output: "" });
  });

  it("reports an uncaught error under a run as Node does", async () => {
    const { code, output } = await end(`slow(); setTimeout(() => { throw new Error("mine"); }, 5);`);
    expect(code).toBe(1);
    expect(output).toContain("Error: mine");
  });

  it("survives workers that are ended at any time", async () => {
    const ended = await end(`
      const { Worker } = require("node:worker_threads");
      const source = \`
        const { slow } = require(\${JSON.stringify(require.resolve("./prelude.cjs"))});
        (async () => { for (;;) await Promise.all([slow(), slow()]); })();
        require("node:worker_threads").parentPort.postMessage("up");
      \`;
      (async () => {
        for (let i = 0; i < 8; i++) {
          const worker = new Worker(source, { eval: true });
          await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
          await new Promise((resolve) => setTimeout(resolve, 7 * i));
          await worker.terminate();
        }
        await slow();
        console.log("alive");
      })();
    `);
    expect(ended).toEqual({ code: 0, output: "alive\n" });
  });
});
