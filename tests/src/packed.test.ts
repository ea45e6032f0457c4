import { readdirSync, readFileSync } from "node:fs";
import { copyFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findLibtorch } from "@pt2/backend-libtorch/node";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { missingStableLibtorch, missingWebgpu } from "./backends.ts";
import { documentFolder, snippetsOf } from "./documents.ts";
import { installOpPackage } from "./installed-op-package.ts";
import { command, installInto, publishedPackages } from "./installed-project.ts";

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

const compile = (file: string, ...settings: readonly string[]): Promise<string> =>
  command(process.execPath, [TSC, "--pretty", "false", ...STRICT, ...settings, file], folder);
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
    expect(files.filter((file) => file.includes(".test."))).toEqual([]);
  });

  it("every entry point loads in plain Node", async () => {
    const lines = entryPoints.map((entry) => `import * as m${entryPoints.indexOf(entry)} from "${entry}";`);
    await writeFile(join(folder, "all.mjs"), lines.join("\n"));
    expect(await node("all.mjs")).toBe("");
  });

  it.each(["bundler", "nodenext"])("have types under moduleResolution %s", async (resolution) => {
    const module = resolution === "bundler" ? "esnext" : "nodenext";
    const names = entryPoints
      .filter((entry) => !OF_PAGES.includes(entry))
      .map((entry, i) => `export * as m${i} from "${entry}";`);
    await writeFile(join(folder, "all.ts"), names.join("\n"));
    const settings = ["--module", module, "--moduleResolution", resolution, "--noEmit"];
    await compile("all.ts", ...settings, "--lib", "es2023,esnext.disposable", "--types", "node");
  });

  it("packages have types for a page, where there is no Node", async () => {
    const names = ["@pt2/runtime", "@pt2/backend-wasm", "@pt2/format", "@pt2/graph", "@pt2/registry", ...OF_PAGES];
    await writeFile(join(folder, "page.ts"), names.map((name, i) => `export * as m${i} from "${name}";`).join("\n"));
    const settings = ["--module", "esnext", "--moduleResolution", "bundler", "--noEmit"];
    // These are the settings of a new project of Vite, and with them those of a user of `await using`.
    await compile("page.ts", ...settings, "--target", "es2022", "--lib", "es2022,dom");
    const using = 'import { wasm } from "@pt2/backend-wasm";\nawait using backend = wasm();\nexport { backend };\n';
    await writeFile(join(folder, "using.ts"), using);
    await compile("using.ts", ...settings, "--target", "es2022", "--lib", "es2022,dom");
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

  it.each(["format", "runtime", "backend-wasm"])("run the lines of %s's README", async (name) => {
    const readme = readFileSync(new URL(`../../packages/${name}/README.md`, import.meta.url), "utf8");
    const { code, output } = snippetsOf(readme).find(({ language }) => language === "ts")!;
    await writeFile(join(folder, `${name}.ts`), code);
    await compile(`${name}.ts`, "--module", "nodenext", "--lib", "es2023,esnext.disposable", "--types", "node");
    expect(await node(`${name}.js`)).toBe(output);
  });

  it("packages bring the command line", async () => {
    expect(await command("npx", ["--no-install", "pt2", "inspect", "digits.pt2"], folder)).toContain("image");
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
