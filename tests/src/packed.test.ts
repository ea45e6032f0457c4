import { readdirSync, readFileSync } from "node:fs";
import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findLibtorch } from "@pt2/backend-libtorch/node";
import type { HostTensor } from "@pt2/runtime";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseImports } from "../../scripts/imports.ts";
import { missingStableLibtorch, missingWebgpu } from "./backends.ts";
import { documentFolder, snippetsOf } from "./documents.ts";
import { fixturePath, readCalls } from "./fixture.ts";
import { installOpPackage } from "./installed-op-package.ts";
import { command, installInto, output, publishedPackages, tarballsOf } from "./installed-project.ts";
import { serveRegistry } from "./local-registry.ts";

const TSC = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));
const packages = publishedPackages();
const entryPoints = packages.flatMap((pkg) => pkg.entryPoints);

/** Compiler settings of an application, with the checks of declaration files left on. */
const STRICT = ["--strict", "--target", "es2023", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"];

let folder: string;
beforeAll(async () => {
  folder = await documentFolder();
  await installInto(folder);
});
afterAll(() => rm(folder, { recursive: true }));

const compile = (files: readonly string[], ...settings: readonly string[]): Promise<string> =>
  command(process.execPath, [TSC, "--pretty", "false", ...STRICT, ...settings, ...files], folder);
const node = (...args: readonly string[]): Promise<string> => command(process.execPath, args, folder);

/** Entry points whose types are those of pages, even in Node. */
const OF_PAGES = ["@pt2/backend-webgpu", "@pt2/backend-webgpu/node", "@pt2/vision", "@pt2/vision/node"];

describe("packages as npm installs them", () => {
  it("packages hold no tests, and link to each other by version", () => {
    for (const { name } of packages) {
      const manifest = readFileSync(join(folder, "node_modules", name, "package.json"), "utf8");
      expect(manifest).not.toContain("workspace:");
      // The condition by which this repository runs sources, which other repositories may use too.
      expect(manifest).not.toContain('"dev":');
    }
    const files = readdirSync(join(folder, "node_modules/@pt2"), { recursive: true, encoding: "utf8" });
    // But for what a new op package begins with.
    expect(files.filter((file) => file.includes(".test.") && !file.endsWith(".template"))).toEqual([]);
  });

  it("what packages import is theirs, Node's, or what they depend on", () => {
    const undeclared = packages.flatMap(({ name }) => {
      const files = join(folder, "node_modules", name);
      const { dependencies = {}, peerDependencies = {} } = JSON.parse(
        readFileSync(join(files, "package.json"), "utf8"),
      ) as { [key in "dependencies" | "peerDependencies"]?: Record<string, string> };
      const declared = new Set([name, ...Object.keys(dependencies), ...Object.keys(peerDependencies)]);
      const modules = readdirSync(join(files, "dist"), { recursive: true, encoding: "utf8" });
      return modules
        .filter((file) => file.endsWith(".js"))
        .flatMap((file) =>
          parseImports(readFileSync(join(files, "dist", file), "utf8")).map((from) => ({ file, from })),
        )
        .filter(({ from }) => /^[^./]/.test(from) && !isBuiltin(from))
        .filter(({ from }) => !declared.has(/^(?:@[^/]+\/)?[^/]+/.exec(from)![0]))
        .map(({ file, from }) => `${name}: ${from} in ${file}`);
    });
    expect(undeclared).toEqual([]);
  });

  it("every entry point loads in plain Node", async () => {
    const lines = entryPoints.map((entry) => `import * as m${entryPoints.indexOf(entry)} from "${entry}";`);
    await writeFile(join(folder, "all.mjs"), lines.join("\n"));
    expect(await node("all.mjs")).toBe("");
  });

  it("CommonJS takes every entry point by require(), with types", async () => {
    await writeFile(join(folder, "required.cjs"), entryPoints.map((entry) => `require("${entry}");`).join("\n"));
    expect(await node("required.cjs")).toBe("");
    const names = entryPoints.filter((entry) => !OF_PAGES.includes(entry));
    const lines = names.map((entry, i) => `export * as m${i} from "${entry}";`);
    await writeFile(join(folder, "required.cts"), lines.join("\n"));
    const lib = ["--lib", "es2023,esnext.disposable", "--types", "node"];
    await compile(["required.cts"], "--module", "node20", "--noEmit", ...lib);
  });

  it.each(["bundler", "nodenext"])("have types under moduleResolution %s", async (resolution) => {
    const module = resolution === "bundler" ? "esnext" : "nodenext";
    const names = entryPoints
      .filter((entry) => !OF_PAGES.includes(entry))
      .map((entry, i) => `export * as m${i} from "${entry}";`);
    await writeFile(join(folder, "all.ts"), names.join("\n"));
    const settings = ["--module", module, "--moduleResolution", resolution, "--noEmit"];
    await compile(["all.ts"], ...settings, "--lib", "es2023,esnext.disposable", "--types", "node");
  });

  it("packages have types for a page, where there is no Node", async () => {
    const names = ["@pt2/runtime", "@pt2/backend-wasm", "@pt2/format", "@pt2/graph", "@pt2/registry", ...OF_PAGES];
    await writeFile(join(folder, "page.ts"), names.map((name, i) => `export * as m${i} from "${name}";`).join("\n"));
    const settings = ["--module", "esnext", "--moduleResolution", "bundler", "--noEmit"];
    const using = 'import { wasm } from "@pt2/backend-wasm";\nawait using backend = wasm();\nexport { backend };\n';
    await writeFile(join(folder, "using.ts"), using);
    // These are the settings of a new project of Vite, and with them those of a user of `await using`.
    await compile(["page.ts", "using.ts"], ...settings, "--target", "es2022", "--lib", "es2022,dom");
  });

  it.each(entryPoints.filter((entry) => entry.endsWith("/node")))(
    "say in a page what to import instead of %s",
    async (entry) => {
      const code = `import * as all from "${entry}";
        const call = async (name) => {
          try {
            await all[name]("model.pt2", {});
          } catch (error) {
            return error.code;
          }
        };
        const names = Object.keys(all).filter((name) => typeof all[name] === "function");
        const codes = await Promise.all(["fromFile", "load", "wasm", "webgpu", "libtorch", "loadDetector"].filter((name) => names.includes(name)).map(call));
        console.log(JSON.stringify({ codes, names: Object.keys(all).sort() }));`;
      await writeFile(join(folder, "in-page.mjs"), code);
      const options = { absWorkingDir: folder, bundle: true, format: "esm", logLevel: "silent" } as const;
      await build({ ...options, entryPoints: ["in-page.mjs"], platform: "browser", outfile: "page-of-node.mjs" });
      const { codes, names } = JSON.parse(await node("page-of-node.mjs")) as { codes: string[]; names: string[] };
      expect(codes).toEqual([expect.stringMatching(/\.node-entry$/)]);
      const inNode = `import * as all from "${entry}"; console.log(JSON.stringify(Object.keys(all).sort()));`;
      expect(names).toEqual(JSON.parse(await node("--input-type=module", "--eval", inNode)));
    },
  );

  it("run the lines of the READMEs", async () => {
    const names = ["format", "runtime", "backend-wasm"];
    const snippets = names.map((name) => {
      const readme = readFileSync(new URL(`../../packages/${name}/README.md`, import.meta.url), "utf8");
      return { name, ...snippetsOf(readme).find(({ language }) => language === "ts")! };
    });
    for (const { name, code } of snippets) await writeFile(join(folder, `${name}.ts`), code);
    const settings = ["--module", "nodenext", "--lib", "es2023,esnext.disposable", "--types", "node"];
    await compile(
      names.map((name) => `${name}.ts`),
      ...settings,
    );
    for (const { name, output } of snippets) expect([name, await node(`${name}.js`)]).toEqual([name, output]);
  });

  const pt2 = (...args: readonly string[]): Promise<string> => command("npx", ["--no-install", "pt2", ...args], folder);

  it("packages bring the command line", async () => {
    expect(await pt2("inspect", "digits.pt2")).toContain("image");
    const commands = [...(await pt2("--help")).matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name!);
    expect(commands.length).toBeGreaterThan(8);
    for (const name of commands) expect(await pt2(name, "--help")).toMatch(new RegExp(`^pt2 ${name}: `));
  });

  it("the command line takes torchvision's ops by the name of their package", async () => {
    const base = fixturePath("torchvision/small_ssd");
    const recorded = ["--inputs", `${base}.inputs.safetensors`, "--expected", `${base}.expected.safetensors`];
    // A thousandth of a pixel, in which boxes are.
    const own = ["--ops", "@pt2/ops-torchvision/wasm", "--atol", "1e-3"];
    expect(await pt2("verify", `${base}.pt2`, ...recorded, ...own)).toMatch(/^ok: 6 outputs of 2 calls/m);
    // `require.resolve`, which finds packages, does not see such a one.
    await mkdir(join(folder, "node_modules/for-import"));
    const manifest = { name: "for-import", exports: { import: "./index.mjs" } };
    await writeFile(join(folder, "node_modules/for-import/package.json"), JSON.stringify(manifest));
    await expect(pt2("ops", "digits.pt2", "--ops", "for-import")).rejects.toThrow('`export * from "for-import";`');
  });
});

/** Finds boxes in a picture of floats, and with `@pt2/vision` in one of bytes. */
const DETECT = `
  import { readFile } from "node:fs/promises";
  import { wasm } from "@pt2/backend-wasm/node";
  import { torchvision } from "@pt2/ops-torchvision/wasm";
  import { load, tensor } from "@pt2/runtime/node";

  const backend = wasm();
  const model = await load("detector.pt2", { backend, ops: [torchvision] });
  const look = async (values) => {
    const { boxes, scores, labels } = await model.forward(tensor("float32", [1, 3, 48, 64], values));
    return await Promise.all([boxes, scores, labels].map(async (each) => Array.from(await each.read(), Number)));
  };
  const picture = new Float32Array((await readFile("picture.f32")).buffer.slice(0));
  const [boxes, scores, labels] = await look(picture);
  const answer = { boxes, scores, labels, offThread: model.offThread };
  if (process.argv[2] === "vision") {
    const { detector } = await import("@pt2/vision/node");
    const bytes = Uint8Array.from(picture, (value) => Math.round(value * 255));
    const data = Uint8Array.from(bytes, (_, i) => bytes[(i % 3) * 48 * 64 + Math.floor(i / 3)]);
    const image = { height: 48, width: 64, fit: "stretch" };
    const preset = { version: 1, task: "object-detection", image, labels: ["nothing", "a", "b", "c", "d"] };
    const found = await detector(model, { backend, preset, threshold: 0 }).detect({ data, width: 64, height: 48 });
    answer.found = found.map(({ box }) => box);
    [answer.inBytes] = await look(Float32Array.from(bytes, (byte) => byte / 255));
  }
  console.log(JSON.stringify(answer));
  await model.dispose();
  await backend.dispose();
`;

interface Answer {
  readonly boxes: readonly number[];
  readonly scores: readonly number[];
  readonly labels: readonly number[];
  readonly offThread: boolean;
  readonly found?: readonly (readonly number[])[];
  readonly inBytes?: readonly number[];
}

describe("a project of one backend alone", () => {
  const close = (numbers: Iterable<number>, expected: Iterable<number>): void => {
    expect(Array.from(numbers, Number)).toHaveLength([...expected].length);
    const wanted = Array.from(expected, Number);
    for (const [i, value] of [...numbers].entries()) expect(Math.abs(value - wanted[i]!)).toBeLessThan(2e-3);
  };

  it("installs what it asks for without a warning, and finds torchvision's boxes, also with @pt2/vision on top", async () => {
    const project = join(folder, "one-backend");
    await mkdir(project);
    await writeFile(join(project, "package.json"), JSON.stringify({ name: "one", private: true, type: "module" }));
    await copyFile(fixturePath("torchvision/small_ssd.pt2"), join(project, "detector.pt2"));
    const [call] = await readCalls(fixturePath("torchvision/small_ssd"));
    const [picture, ...expected] = [call!.inputs[0], ...call!.expected].map((leaf) => (leaf as HostTensor).data);
    await writeFile(join(project, "picture.f32"), picture as Float32Array);
    await writeFile(join(project, "detect.mjs"), DETECT);

    const registry = await serveRegistry(tarballsOf(folder));
    const quiet = [
      "--no-audit",
      "--no-fund",
      "--ignore-scripts",
      "--no-update-notifier",
      "--cache",
      join(folder, "npm"),
    ];
    const install = async (...names: readonly string[]): Promise<readonly string[]> => {
      const { stdout, stderr } = await output(
        "npm",
        ["install", "--registry", registry.url, ...quiet, ...names],
        project,
      );
      expect(`${stdout}${stderr}`).toMatch(/^\s*added \d+ packages? in .*\s*$/);
      const scoped = readdirSync(join(project, "node_modules/@pt2")).map((name) => `@pt2/${name}`);
      return [...scoped, ...readdirSync(join(project, "node_modules"))]
        .filter((name) => !/^\.|^@pt2$/.test(name))
        .sort();
    };
    const detect = async (...args: readonly string[]): Promise<Answer> =>
      JSON.parse(await command(process.execPath, ["detect.mjs", ...args], project)) as Answer;
    try {
      const installed = await install("@pt2/runtime", "@pt2/backend-wasm", "@pt2/ops-torchvision");
      const below = ["backend", "engine", "format", "graph", "registry"].map((name) => `@pt2/${name}`);
      expect(installed).toEqual(
        [...below, "@pt2/backend-wasm", "@pt2/ops-torchvision", "@pt2/runtime", "fflate"].sort(),
      );
      const { boxes, scores, labels, offThread } = await detect();
      expect(offThread).toBe(true);
      close(boxes, expected[0] as Float32Array);
      close(scores, expected[1] as Float32Array);
      expect(labels).toEqual(Array.from(expected[2] as BigInt64Array, Number));

      const more = (await install("@pt2/vision")).filter((name) => !installed.includes(name));
      expect(more).toContain("@pt2/vision");
      expect(more.filter((name) => /backend-|^sharp$|^webgpu$|cli/.test(name))).toEqual([]);
      const { found, inBytes } = await detect("vision");
      close(found!.flat(), inBytes!);
    } finally {
      await registry.close();
    }
  });
});

/**
 * Loads the network with the op set of a sub-path, and prints how many results are PyTorch's, and the op's steps in the plans
 * of three shapes.
 */
const runScan = (backend: string): string => `
  import { ${backend} } from "@pt2/backend-${backend}/node";
  import { checkOp, compareTensor } from "@pt2/conformance";
  import { readSafetensors } from "@pt2/format";
  import { fromFile } from "@pt2/format/node";
  import { load, rand, randn, tensor } from "@pt2/runtime/node";
  import { linearRecurrence } from "pt2-scan";
  import { scan } from "pt2-scan/${backend}";

  const backend = await ${backend}();
  const model = await load("scan.pt2", { backend, ops: [scan] });
  const file = await fromFile("scan.expected.safetensors");
  const { tensors } = await readSafetensors(file);
  let right = 0;
  for (const [name, { shape, bytes }] of tensors) {
    const [batch, length] = name.split("x").map(Number);
    const x = Float32Array.from({ length: batch * length * 5 }, (_, i) => Math.sin(i));
    const result = await model.forward(tensor("float32", [batch, length, 5], x));
    const expected = { dtype: "float32", shape, data: new Float32Array(bytes.slice().buffer) };
    right += (await compareTensor(result, expected, { rtol: 1e-4, atol: 1e-5 })) === null ? 1 : 0;
  }
  const steps = (await model.explain()).match(/^\\S+: scan::linear_recurrence/gm) ?? [];
  const call = (...shape) => ({ decay: rand(shape, { seed: 1 }), input: randn(shape, { seed: 2 }) });
  const { calls } = await checkOp(linearRecurrence, [call(257, 5), call(0, 3)], { backends: [backend], ops: [scan] });
  console.log(JSON.stringify({ right, steps: steps.length, checked: calls > 10 }));
  await file.close();
  await model.dispose();
  await backend.dispose();
`;

describe("an op package of a third party", async () => {
  const lacking = { wasm: null, webgpu: await missingWebgpu(), libtorch: await missingStableLibtorch() };
  let files: readonly string[];
  beforeAll(async () => {
    const found = lacking.libtorch === null ? (await findLibtorch()).path : null;
    files = await installOpPackage(folder, found);
    for (const name of ["scan.pt2", "scan.expected.safetensors"]) {
      await copyFile(new URL(`../../examples/op-package/${name}`, import.meta.url), join(folder, name));
    }
  });

  it("its tarball has the built modules and the native source, no tests and no assembly", () => {
    expect(files).toEqual(expect.arrayContaining(["dist/index.js", "dist/wasm.d.ts", "native/scan.cc"]));
    expect(files.filter((file) => /test|assembly|export_model/.test(file))).toEqual([]);
  });

  // libtorch has one plan for all shapes, and a GPU takes the kernel for many rows only.
  const steps = { wasm: 6, webgpu: 2, libtorch: 2 };
  it.for(["wasm", "webgpu", "libtorch"] as const)(
    "its kernel for %s has PyTorch's results",
    async (backend, context) => {
      if (lacking[backend] !== null) return context.skip(lacking[backend]);
      await writeFile(join(folder, `scan-${backend}.mjs`), runScan(backend));
      expect(JSON.parse(await node(`scan-${backend}.mjs`))).toEqual({ right: 3, steps: steps[backend], checked: true });
    },
  );

  it.each([
    [
      "nothing of an op that is imported and not used",
      'import { linearRecurrence } from "pt2-scan";',
      /linear_recurrence/,
    ],
    [
      "no kernels with the portable op",
      'import { scan } from "pt2-scan"; console.log(scan);',
      /AGFzbQEAAAA|set_states/,
    ],
    [
      "nothing of torchvision's other ops with one of them",
      'import { nms, nmsKept } from "@pt2/ops-torchvision"; console.log([nms, nmsKept]);',
      /torchvision::_?(deform_conv2d|roi_align)/,
    ],
    ["no shader with the WebAssembly kernel", 'import { scan } from "pt2-scan/wasm"; console.log(scan);', /set_states/],
  ])("a bundle has %s", async (_, code, unwanted) => {
    await writeFile(join(folder, "bundled.mjs"), code);
    const { outputFiles } = await build({
      absWorkingDir: folder,
      entryPoints: ["bundled.mjs"],
      ...({ bundle: true, format: "esm", platform: "browser", write: false, splitting: true, outdir: "site" } as const),
    });
    expect(outputFiles.map(({ text }) => text).filter((text) => unwanted.test(text))).toEqual([]);
  });
});
