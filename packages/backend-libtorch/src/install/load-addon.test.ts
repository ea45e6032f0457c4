import { copyFile, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { describeWithLibtorch } from "../libtorch.test-helper.ts";
import { runCommand } from "./command.ts";
import { fakeLibtorch, temporaryFolder, writeFiles } from "./fakes.test-helper.ts";
import { loadAddon } from "./load-addon.ts";
import { loadedLibtorch } from "./loaded-libtorch.ts";

const MODULE = JSON.stringify(new URL("load-addon.ts", import.meta.url).href);

/** Runs a script in a process of its own; what it prints. */
async function inProcess(code: string, env: Readonly<Record<string, string>>): Promise<string> {
  const script = `import { loadAddon } from ${MODULE};\n${code}`;
  const args = ["-C", "dev", "--import", import.meta.resolve("tsx"), "--input-type=module", "-e", script];
  const { stdout, lines } = await runCommand(process.execPath, args, { env: { ...process.env, ...env } });
  return stdout || lines.join("\n");
}

describeWithLibtorch("the native module", ({ addon, libtorch, file }) => {
  it("the native module is loaded once per thread", async () => {
    expect((await loadAddon()).addon).toBe(addon);
    expect((await loadAddon({ folder: libtorch.path })).file).toBe(file);
    expect(libtorch.version.startsWith(addon.info().version)).toBe(true);
    expect(await loadedLibtorch()).toBe(join(libtorch.path, "lib"));
  });

  it("refuses a second libtorch in the process", async () => {
    await expect(loadAddon({ folder: await fakeLibtorch() })).rejects.toMatchObject({
      code: "libtorch.two-libtorchs",
      where: expect.stringContaining(libtorch.path),
    });
  });

  it("loads in a worker thread, beside the main thread", async () => {
    const code = `
      import { parentPort } from "node:worker_threads";
      import { register } from ${JSON.stringify(import.meta.resolve("tsx/esm/api"))};
      register();
      const { loadAddon } = await import(${MODULE});
      parentPort.postMessage((await loadAddon()).addon.info().version);`;
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`));
    const version = await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
    expect(version).toBe(addon.info().version);
    await worker.terminate();
  });

  it("the native module is a file that PT2_LIBTORCH_ADDON may name", async () => {
    const copy = join(await temporaryFolder(), "mine.node");
    await copyFile(file, copy);
    const env = { PT2_LIBTORCH_ADDON: copy, PT2_CACHE: await temporaryFolder(), PT2_LIBTORCH: libtorch.path };
    expect(await inProcess("console.log((await loadAddon()).file);", env)).toBe(`${copy}\n`);
  });

  it("a native module that is cut short is an error, and not the end of the process", async () => {
    const folder = await temporaryFolder();
    const { size } = await stat(file);
    const outcomes: string[] = [];
    for (const part of [0, 0.3, 0.6, 0.9, 0.99]) {
      const copy = join(folder, `${part}.node`);
      await copyFile(file, copy);
      await truncate(copy, Math.floor(size * part));
      const env = { PT2_LIBTORCH_ADDON: copy, PT2_LIBTORCH: libtorch.path };
      const code = "console.log(await loadAddon().then(() => 'loaded', ({ code }) => code));";
      outcomes.push((await inProcess(code, env)).trim());
    }
    expect(outcomes.slice(0, 2)).toEqual(["libtorch.load-failed", "libtorch.load-failed"]);
    // What lies behind all that is mapped, such as symbols, is not needed: the process tells, and does not die.
    for (const outcome of outcomes) expect(["loaded", "libtorch.load-failed"]).toContain(outcome);
  });

  it("a native module that cannot be loaded is an error with everything that may help", async () => {
    const folder = await temporaryFolder();
    await writeFiles(folder, { "broken.node": "no library" });
    const env = {
      PT2_LIBTORCH_ADDON: join(folder, "broken.node"),
      PT2_LIBTORCH: libtorch.path,
      LD_LIBRARY_PATH: folder,
    };
    const said = await inProcess("await loadAddon().catch((error) => console.log(error.code, error.message));", env);
    expect(said).toMatch(/^libtorch\.load-failed The native module cannot be loaded: /);
    expect(said).toContain("unset LD_LIBRARY_PATH");
    expect(said).toContain("npx @pt2/cli libtorch install");
  });
});
