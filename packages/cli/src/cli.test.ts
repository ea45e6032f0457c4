import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { findBuiltAddon } from "@pt2/backend-libtorch/node";
import { openArchive, readTensor, type TensorData, writeSafetensors } from "@pt2/format";
import { fromFile } from "@pt2/format/node";
import { parse, toJson } from "@pt2/graph";
import { recordedFile } from "@pt2/testing/recorded-file";
import { describe, expect, it, vi } from "vitest";
import { COMMANDS } from "./commands/command-list.ts";
import { fixtureArgs, fixturePath, type Outcome, pt2, pt2On, temporaryFolder } from "./fixtures.test-helper.ts";
import { COMMON_OPTIONS } from "./options.ts";
import { toJsonText } from "./terminal/terminal.ts";

const native = await findBuiltAddon();
const DIGITS = fileURLToPath(new URL("../../../examples/digits/digits.pt2", import.meta.url));
const MLP = fixturePath("torch-2.13/mlp.pt2");

describe("the usage of pt2", () => {
  it("pt2 prints its help", async () => {
    const all = await pt2("--help");
    expect(all).toMatchObject({ code: 0, err: "" });
    for (const name of [
      "inspect",
      "ops",
      "run",
      "verify",
      "bench",
      "profile",
      "graph",
      "types",
      "new",
      "libtorch",
      "doctor",
    ]) {
      expect(all.out).toMatch(new RegExp(`^  ${name} `, "m"));
      const one = await pt2(name, "--help");
      expect(one).toMatchObject({ code: 0, err: "", out: expect.stringContaining(`Usage: pt2 ${name}`) });
    }
    expect(await pt2()).toMatchObject({ code: 2, out: "", err: all.out });
  });

  it("pt2 prints its version, and the help of single commands", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    for (const word of ["--version", "-V", "version"]) {
      const { code, out, err } = await pt2(word);
      expect({ code, err }).toEqual({ code: 0, err: "" });
      expect(out.split("\n")[0]).toBe(`@pt2/cli ${version}`);
      expect(out).toMatch(/^(@pt2\/[a-z-]+ \d+\.\d+\.\d+\S*\n)+$/);
      expect(out).toContain(`@pt2/runtime ${version}\n`);
    }
    const packages = { "@pt2/cli": version, "@pt2/backend-wasm": version };
    expect(JSON.parse((await pt2("version", "--json")).out)).toMatchObject({ version, packages });
    const verify = await pt2("verify", "--help");
    expect(await pt2("help", "verify")).toEqual(verify);
    expect(await pt2("verify", "-h")).toEqual(verify);
    expect(await pt2("help", "explode")).toMatchObject({ code: 2, out: "" });
  });

  it.each([
    [["run", MLP, "--threads", "0"], "run"],
    [["bench", MLP, "--runs", "x"], "bench"],
    [["run", MLP, "--scalar", "x"], "run"],
    [["verify", MLP, "--per-node", "--precision", "high"], "verify"],
    [["train", MLP], "train"],
    [["profile", MLP, "--nothing"], "profile"],
  ])("the advice for %j is the help of the command", async (args, command) => {
    const { err } = await pt2(...args);
    expect(err).toContain(`  what to do: see \`pt2 ${command} --help\`\n`);
  });

  it("no command lists an option twice", async () => {
    for (const [name, command] of COMMANDS) {
      const names = [...(await command()).options, ...COMMON_OPTIONS].map((option) => option.name);
      expect({ name, options: names }).toEqual({ name, options: [...new Set(names)] });
    }
    const { out } = await pt2("train", "--help");
    expect(out).toMatch(/--seed N +seed of the order of the examples, default: 0, and of random numbers/);
  });

  it("the help fits a narrow terminal", async () => {
    for (const args of [["--help"], ["verify", "--help"], ["help", "train"], []]) {
      const { out, err } = await pt2On({ interactive: true, columns: 60 }, ...args);
      expect(Math.max(...(out + err).split("\n").map((line) => line.length))).toBeLessThanOrEqual(60);
    }
  });

  it("pt2 uses colors only on a terminal", async () => {
    const shown = await pt2On({ interactive: true, colors: true }, "ops", MLP);
    expect(shown.out).toContain("\u001b[32mok\u001b[0m");
    const failed = await pt2On({ interactive: true, colors: true }, "explode");
    expect(failed.err).toContain("\u001b[31mpt2:\u001b[0m There is no command");
    for (const terminal of [{ interactive: true }, { interactive: false, colors: false }]) {
      const { out } = await pt2On(terminal, "ops", MLP);
      expect(out).toBe(stripVTControlCharacters(shown.out));
    }
    expect((await pt2On({ interactive: false, colors: true }, "explode")).err).not.toContain("\u001b");
  });

  it.each([
    [["explode"], 'There is no command "explode"'],
    [["inspct", MLP], 'There is no command "inspct"; did you mean `pt2 inspect`?'],
    [["inspect", MLP, "--jsn"], "Unknown option '--jsn'; did you mean --json?"],
    [["run"], "FILE is missing"],
    [["run", MLP, "more"], 'the argument "more" is unexpected'],
    [["run", MLP, "--nothing"], "Unknown option '--nothing'"],
    [["run", MLP, "--backend", "tpu"], 'There is no backend "tpu"'],
    [["run", MLP, "--threads", "0"], "--threads takes a whole number of at least 1"],
    [["run", MLP, "--threads", "65"], "wasm() was given 65 threads"],
    [["run", MLP, "--seed", "1.5"], '--seed takes a whole number, not "1.5"'],
    [["run", MLP, `--seed=${-(2n ** 63n) - 1n}`], "--seed takes a whole number from -2^63 to 2^64 - 1"],
    [["run", MLP, "--seed", String(2n ** 64n)], "--seed takes a whole number from -2^63 to 2^64 - 1"],
    [["libtorch"], "ACTION is missing"],
    [["libtorch", "explode"], 'There is no action "explode"'],
    [["libtorch", "install", "--version", "2.3.0"], '"2.3.0" is not a release of PyTorch that this package can use'],
    [["run", MLP, "--device", "cuda:0"], 'The wasm backend has no device "cuda:0"'],
    [["run", MLP, "--output", "out.npz"], "--output writes .safetensors files"],
    [["run", MLP, "--model", "other"], 'the archive has no model "other"'],
    [["run", MLP, "--scalar", "x"], "--scalar takes NAME=VALUE"],
    [["verify", MLP], "the archive has no expected outputs"],
    [["verify", ...fixtureArgs("torch-2.13/mlp"), "--precision", "high"], '--precision is exact or fast, not "high"'],
    [["verify", ...fixtureArgs("torch-2.13/mlp"), "--rtol", "small"], '--rtol takes a number, not "small"'],
    [["bench", MLP, "--runs", "0"], "--runs takes a whole number of at least 1"],
    [["graph", MLP, "--format", "gif"], 'There is no format "gif"'],
    [["inspect", "nowhere.pt2"], "no such file"],
    [["inspect", "ftp://example.org/mlp.pt2"], '"ftp://example.org/mlp.pt2" is not an address of a file'],
    [["run", MLP, "--inputs", "s3://bucket/x.npz"], '"s3://bucket/x.npz" is not an address of a file'],
    [["run", "file://elsewhere/mlp.pt2"], '"file://elsewhere/mlp.pt2" is not an address of a file'],
    [["inspect", fixturePath("torch-2.13/mlp.json")], "the file is not a zip archive"],
  ])("pt2 exits with 2 for %j", async (args, message) => {
    const { code, out, err } = await pt2(...args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(message);
    expect(err).toContain("  what to do: ");
    expect(err).not.toContain("    at ");
  });

  it("pt2 runs as an executable, with only JSON on stdout", () => {
    const tsx = import.meta.resolve("tsx");
    const program = fileURLToPath(new URL("main.ts", import.meta.url));
    const run = (...args: readonly string[]) =>
      spawnSync(process.execPath, ["-C", "dev", "--import", tsx, program, ...args], { encoding: "utf8" });
    const good = run("run", MLP, "--json");
    expect([good.status, good.stderr]).toEqual([0, ""]);
    expect(JSON.parse(good.stdout)).toMatchObject({ backend: "wasm", calls: [[{ type: "float32 [5, 3]" }]] });
    const bad = run("run", "nowhere.pt2", "--json");
    expect(bad.status).toBe(2);
    expect(JSON.parse(bad.stdout)).toMatchObject({ error: { code: "format.io", where: "nowhere.pt2" } });
    expect(bad.stderr).toContain("the file cannot be opened\n  where: nowhere.pt2\n  what to do: no such file");
  });
});

describe("commands that read a file", () => {
  it("run takes a program as JSON with its weights beside it", async () => {
    const folder = temporaryFolder();
    const [program, weights] = [join(folder, "mlp.json"), join(folder, "mlp.safetensors")];
    expect(await pt2("graph", MLP, "--format", "json", "-o", program)).toMatchObject({ code: 0, err: "" });
    const tensors = new Map<string, TensorData>();
    const archive = await openArchive(await fromFile(MLP));
    for (const [name, weight] of await archive.weights()) tensors.set(name, await readTensor(weight));
    await archive.close();
    const chunks: Uint8Array[] = [];
    await writeSafetensors(tensors, async (chunk) => void chunks.push(chunk));
    writeFileSync(weights, Buffer.concat(chunks));
    const [, ...inputs] = fixtureArgs("torch-2.13/mlp", false);
    const whole = await pt2("run", MLP, ...inputs, "--json");
    const parts = await pt2("run", program, "--weights", weights, ...inputs, "--json");
    expect(parts).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(parts.out).calls).toEqual(JSON.parse(whole.out).calls);
    expect(await pt2("run", program, "--weights", weights)).toMatchObject({
      code: 2,
      err: expect.stringContaining("There are no sample inputs that can be read"),
    });
    expect(await pt2("run", MLP, "--weights", weights, ...inputs)).toMatchObject({
      code: 2,
      err: expect.stringContaining("The program is a .pt2 file, which has its own weights"),
    });
  });

  it.each([
    [["run"]],
    [["ops"]],
    [["bench", "--runs", "1"]],
    [["profile"]],
    [["verify", "--per-node"]],
    [["verify", "--expected", recordedFile(fixturePath("torch-2.13/mlp"), "expected")]],
  ])("%j takes a program whose weights are in a .pt2 file, and its sample inputs", async ([command = "", ...more]) => {
    const folder = temporaryFolder();
    for (const name of ["mlp.json", "mlp.txt"]) {
      const program = join(folder, name);
      expect(await pt2("graph", MLP, "-o", program)).toMatchObject({ code: 0 });
      expect(await pt2(command, program, ...more, "--weights", MLP)).toMatchObject({ code: 0, err: "" });
      const alone = await pt2(command, program, ...more);
      expect(alone).toMatchObject({ code: 2, err: expect.stringContaining("The file is text, not a .pt2 file") });
      expect(alone.err).toContain("pass where its weights are: --weights model.pt2, or a .safetensors file");
    }
  });

  it("files may be named by file:// addresses", async () => {
    const address = (path: string): string => pathToFileURL(path).href;
    expect(await pt2("inspect", address(MLP))).toEqual(await pt2("inspect", MLP));
    const [file = "", ...inputs] = fixtureArgs("torch-2.13/mlp");
    const given = [file, ...inputs].map((arg) => (arg.startsWith("--") ? arg : address(arg)));
    expect(await pt2("verify", ...given)).toMatchObject({ code: 0 });
    const output = join(temporaryFolder(), "results of mlp.safetensors");
    expect(await pt2("run", address(MLP), "-o", address(output))).toMatchObject({ code: 0 });
    expect(await pt2("verify", MLP, "--expected", output)).toMatchObject({ code: 0 });
  });

  it("run draws PyTorch's numbers for a seed", async () => {
    const folder = temporaryFolder();
    const [program, weights, inputs] = ["p.json", "w.safetensors", "i.safetensors"].map((name) => join(folder, name));
    const drawing = parse(`program {
      user_input %x: f32[3]
      forward ("x")
      in_spec tuple(tuple(*), dict())
      out_spec *
      %r: f32[3] = aten::rand_like(%x)
      %y: f32[3] = aten::add.Tensor(%r, other=%x)
      return %y
    }`);
    writeFileSync(program!, toJsonText(toJson(drawing)));
    const write = async (file: string, tensors: ReadonlyMap<string, TensorData>): Promise<void> => {
      const chunks: Uint8Array[] = [];
      await writeSafetensors(tensors, async (chunk) => void chunks.push(chunk));
      writeFileSync(file, Buffer.concat(chunks));
    };
    await write(weights!, new Map());
    await write(inputs!, new Map([["x", { dtype: "float32", shape: [3], bytes: new Uint8Array(12) }]]));
    const headOf = async (...seed: readonly string[]): Promise<readonly string[]> => {
      const { code, out } = await pt2("run", program!, "--weights", weights!, "--inputs", inputs!, "--json", ...seed);
      expect(code).toBe(0);
      return JSON.parse(out).calls[0][0].head;
    };
    // torch.manual_seed(7); torch.rand(3)
    expect(await headOf("--seed", "7")).toEqual(["0.534923", "0.198803", "0.659212"]);
    expect(await headOf()).not.toEqual(await headOf());
    // torch.manual_seed(-1), which is 2**64 - 1 too, and torch.manual_seed(-2**63)
    const last = ["0.993799", "0.571306", "0.570008"];
    expect(await headOf("--seed=-1")).toEqual(last);
    expect(await headOf("--seed", String(2n ** 64n - 1n))).toEqual(last);
    expect(await headOf(`--seed=${-(2n ** 63n)}`)).toEqual(["0.496257", "0.768222", "0.0884774"]);
  });

  it("inspect prints inputs, outputs, weights and ops", async () => {
    const { code, out } = await pt2("inspect", fixturePath("torch-2.13/strides.pt2"));
    expect(code).toBe(0);
    expect(out).toContain('Model "model", saved by torch 2.13.0+cpu, schema 8.20, TRAINING dialect');
    expect(out).toContain("0  x  float32 [3, 5]");
    expect(out).toMatch(/buffer +float16 +5 elements +10 B/);
    const json = JSON.parse((await pt2("inspect", fixturePath("torch-2.6/buffers.pt2"), "--json")).out);
    expect(json).toMatchObject({
      generation: "flat",
      models: [{ name: "model", mutated: [], inputs: [{ name: "x" }, { name: "pos", type: { dtype: "int64" } }] }],
    });
  });

  it("inspect names leaves of results, the loss and its gradients", async () => {
    const { out } = await pt2("inspect", fixturePath("joint/tokens.pt2"));
    expect(out).toMatch(/1 {2}output\.loss +float32 \[\], the loss\n/);
    expect(out).toMatch(/2 {2}embed\.weight\.grad +float32 \[7, 4\], a gradient\n/);
    const bert = await pt2("inspect", fixturePath("programs/model_output.pt2"));
    expect(bert.out).toMatch(/0 {2}output\.last_hidden_state +float32 \[1, 5, 4\]\n/);
  });

  it("verify compares gradients by position", async () => {
    const { code, out } = await pt2("verify", ...fixtureArgs("joint/classifier"));
    expect(out).toContain("ok  call 1: conv.weight.grad");
    expect(code).toBe(0);
  });

  it("ops counts ops and reports that all are supported", async () => {
    const { code, out } = await pt2("ops", MLP, "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ backend: "wasm", ok: true, missing: [] });
  });

  it("ops and run list missing ops, with exit code 1", async () => {
    const file = join(temporaryFolder(), "bend.pt2");
    // A name of the same length keeps every offset of the archive.
    const text = readFileSync(MLP, "latin1").replaceAll("torch.ops.aten.relu.default", "torch.ops.mine.bend.default");
    writeFileSync(file, text, "latin1");
    const ops = await pt2("ops", file);
    expect(ops.code).toBe(1);
    expect(ops.out).toMatch(/MISSING +1 +mine::bend\n/);
    expect(ops.out).toMatch(/first at .*make_fixtures\.py/);
    expect(ops.out).toContain("wasm cannot run 1 op (1 node).");
    const run = await pt2("run", file);
    expect(run).toMatchObject({ code: 1, out: "" });
    expect(run.err).toContain("The backend `wasm` cannot run 1 op of this program (1 node):\n  mine::bend ×1: ");
    expect(run.err).toContain("code: runtime.unsupported-ops");
  });

  it.each([
    ["text", /^program "TRAINING"/],
    ["mermaid", /^flowchart TD/],
    ["dot", /^digraph/],
    ["svg", /^<svg/],
    ["json", /^\{.*\}\n$/],
  ])("graph prints %s", async (format, pattern) => {
    const { code, out } = await pt2("graph", MLP, "--format", format);
    expect(code).toBe(0);
    expect(out).toMatch(pattern);
  });

  it("graph writes a file in the format of its extension, and folds modules", async () => {
    const folder = temporaryFolder();
    for (const [name, pattern] of [
      ["g.svg", /^<svg/],
      ["g.mmd", /^flowchart/],
      ["g.gv", /^digraph/],
      ["g.json", /^\{/],
      ["g", /^program/],
    ] as const) {
      const path = join(folder, name);
      expect(await pt2("graph", DIGITS, "-o", path)).toEqual({ code: 0, out: "", err: "" });
      expect(readFileSync(path, "utf8")).toMatch(pattern);
    }
    const folded = await pt2("graph", DIGITS, "--format", "mermaid", "--depth", "1");
    expect(folded.err).toMatch(/^1 module is drawn as one box: \d+ nodes in \d+ boxes; --depth changes this/);
    expect(folded.out).toContain('[["features<br/>');
    const all = await pt2("graph", DIGITS, "--format", "mermaid", "--depth", "all");
    expect(all).toMatchObject({ err: "", out: expect.stringContaining("conv2d<br/>f32") });
    expect(await pt2("graph", DIGITS, "-o", join(folder, "no/such/g.svg"))).toMatchObject({
      code: 2,
      err: expect.stringContaining("code: cli.io"),
    });
    expect(await pt2("graph", DIGITS, "--format", "svg", "--depth", "-1")).toMatchObject({ code: 2 });
    const picture = join(folder, "g.png");
    expect(await pt2("graph", DIGITS, "-o", picture)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/No format has the extension \.png\n.*\.text, \.mermaid, \.dot, \.svg, \.json, \.mmd/),
    });
    expect(await pt2("graph", DIGITS, "-o", picture, "--format", "text")).toMatchObject({ code: 0 });
    const inDotted = join(folder, "some.png");
    mkdirSync(inDotted);
    expect(await pt2("graph", DIGITS, "-o", join(inDotted, "g"))).toMatchObject({ code: 0 });
  });

  it.each([
    [["--format", "svg", "--json"], "--json writes the format json, not svg"],
    [["--json", "-o", "g.dot"], "--json writes the format json, not dot"],
    [["--depth", "1"], "--depth changes pictures, not text"],
    [["--depth", "x"], "--depth changes pictures, not text"],
    [["--depth", "1", "--json"], "--depth changes pictures, not json"],
    [["--weights", "--format", "json"], "--weights changes pictures, not json"],
  ])("graph refuses %j, where an option would be ignored", async (more, message) => {
    expect(await pt2("graph", MLP, ...more)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  });

  it("save refuses a folder and leaves no file", async () => {
    const folder = temporaryFolder();
    const [program, target] = [join(folder, "mlp.txt"), join(folder, "target")];
    mkdirSync(target);
    expect(await pt2("graph", MLP, "-o", program)).toMatchObject({ code: 0 });
    const { code, err } = await pt2("save", program, "--weights", MLP, "-o", target);
    expect(code).toBe(2);
    expect(err).toContain(`The file cannot be written\n  where: ${target}\n  what to do: it is a folder`);
    expect(readdirSync(folder)).toEqual(["mlp.txt", "target"]);
  });

  it("libtorch clear removes the packed weights that were kept", async () => {
    const cache = temporaryFolder();
    mkdirSync(join(cache, "weights"));
    writeFileSync(join(cache, "weights", "some.weights"), "");
    vi.stubEnv("PT2_CACHE", cache);
    const done = await pt2("libtorch", "clear").finally(() => vi.unstubAllEnvs());
    expect(done).toMatchObject({ code: 0, out: `removed ${join(cache, "weights")}\n` });
    expect(readdirSync(cache)).toEqual([]);
  });

  it("doctor lists the backends", async () => {
    const { code, out } = await pt2("doctor", "--json");
    expect(code).toBe(0);
    const { wasmSimd, backends, libtorch } = JSON.parse(out);
    expect({ wasmSimd, wasm: backends[1] }).toMatchObject({ wasmSimd: true, wasm: { name: "wasm", works: true } });
    expect(backends[2]).toMatchObject({ name: "webgpu" });
    expect(backends[0]).toMatchObject({ name: "libtorch", works: libtorch.addon !== null });
    expect(libtorch.places[0]).toMatchObject({ name: "PT2_LIBTORCH" });
  });
});

describe("commands that run a program", () => {
  it("run writes results that verify accepts", async () => {
    const output = join(temporaryFolder(), "out.safetensors");
    const [file = "", ...inputs] = fixtureArgs("torch-2.13/buffers", false);
    const { code, out } = await pt2("run", file, ...inputs, "--output", output);
    expect(code).toBe(0);
    expect(out).toContain("Call 1\n");
    const source = await fromFile(output);
    expect(source.size).toBeGreaterThan(100);
    await source.close?.();
    expect(await pt2("verify", file, ...inputs, "--expected", output)).toMatchObject({ code: 0 });
  });

  it("run takes scalars by name", async () => {
    const [file = "", ...inputs] = fixtureArgs("programs/scalars", false);
    expect(await pt2("run", file, ...inputs, "--scalar", "n=3", "--scalar", "flag=True")).toMatchObject({ code: 0 });
    const { code, err } = await pt2("run", file, ...inputs, "--scalar", "n=4");
    expect(code).toBe(2);
    expect(err).toContain("Input `n` was fixed to 3 at export and cannot be 4");
  });

  it.each([
    [["run"]],
    [["bench", "--runs", "1"]],
    [["profile"]],
    [["verify", "--expected", recordedFile(fixturePath("programs/scalars"), "expected")]],
    [["verify", "--per-node"]],
  ])("%j checks scalars against the sample call", async ([command = "", ...more]) => {
    const withScalar = async (scalar: string): Promise<Outcome> =>
      await pt2(command, fixturePath("programs/scalars.pt2"), ...more, "--scalar", scalar);
    expect(await withScalar("n=3")).toMatchObject({ code: 0 });
    const other = await withScalar("n=4");
    expect(other).toMatchObject({ code: 2, err: expect.stringContaining("Input `n` was fixed to 3 at export") });
    const unknown = await withScalar("foo=1");
    expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining('The program has no input "foo"') });
  });

  it.each([[[]], [["--per-node"]]])("verify %j checks scalars with --inputs", async (more) => {
    const args = ["verify", ...fixtureArgs("programs/scalars", more.length === 0), ...more];
    expect(await pt2(...args, "--scalar", "n=3")).toMatchObject({ code: 0 });
    const { code, err } = await pt2(...args, "--scalar", "n=4");
    expect({ code, err }).toMatchObject({
      code: 2,
      err: expect.stringContaining("Input `n` was fixed to 3 at export"),
    });
  });

  it("run applies scalars to the sample call, and refuses one for a tensor", async () => {
    const file = fixturePath("programs/scalars.pt2");
    const [, ...inputs] = fixtureArgs("programs/scalars", false);
    for (const more of [[], inputs]) {
      const { code, err } = await pt2("run", file, ...more, "--scalar", "x=1");
      expect({ code, err }).toMatchObject({
        code: 2,
        err: expect.stringContaining("Input `x` must be float32 [2, 3]"),
      });
    }
  });

  it("bench and profile print their reports", async () => {
    const bench = await pt2("bench", MLP, "--runs", "3", "--warmup", "1", "--json");
    expect(JSON.parse(bench.out)).toMatchObject({ runs: 3, latencyMs: { p50: expect.any(Number) } });
    const trace = join(temporaryFolder(), "trace.json");
    const profile = await pt2("profile", MLP, "--trace", trace);
    expect(profile.out).toContain("aten::linear");
    const { traceEvents } = JSON.parse(readFileSync(trace, "utf8"));
    expect(traceEvents.at(-1)).toMatchObject({ ph: "X", cat: "op", args: { node: expect.any(String) } });
  });

  it("profile names all nodes of a fused step", async () => {
    const { out } = await pt2("profile", DIGITS);
    expect(out).toMatch(/aten::conv2d \+ aten::batch_norm \+ aten::relu$/m);
    expect(out).toMatch(/aten::conv2d %conv2d \+ aten::batch_norm %batch_norm \+ aten::relu %relu \(features\.0\./);
  });

  it.skipIf(native === undefined)("profile names the nodes that libtorch's fast mode fused", async () => {
    const { out } = await pt2("profile", DIGITS, "--backend", "libtorch");
    expect(out).toMatch(
      /aten::conv2d %conv2d \+ aten::batch_norm %batch_norm \+ aten::relu %relu \(features\.0\.0, .*\), as \w+::/,
    );
  });

  it("run rejects a tensor file with an unknown input by name", async () => {
    const other = fixturePath("torch-2.13/numerics.inputs.safetensors");
    const { code, err } = await pt2("run", MLP, "--inputs", other);
    expect(code).toBe(2);
    expect(err).toContain('The program has no input "1"');
    expect(err).toContain("its inputs are x (0)");
  });

  it.each([
    ["photo.jpg", Buffer.from("ffd8ffe000104a464946", "hex"), ", but a JPEG image"],
    ["photo.safetensors", Buffer.from("89504e470d0a1a0a0000", "hex"), ", but a PNG image"],
    ["inputs.json", Buffer.from('{"x": [1, 2, 3]}'), ", but JSON"],
    ["weights.pt", readFileSync(MLP), ", but a zip archive without arrays, such as a checkpoint"],
    ["bad.safetensors", Buffer.from("nonsense"), ""],
    ["empty", Buffer.alloc(0), ""],
  ])("run reports that %s is not a tensor file", async (name, bytes, kind) => {
    const file = join(temporaryFolder(), name);
    writeFileSync(file, bytes);
    const { code, out, err } = await pt2("run", MLP, "--inputs", file);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(`The file is not .safetensors or .npz${kind}\n  where: ${file}`);
    expect(err).toContain("code: cli.inputs");
  });

  it("run reports a damaged tensor file", async () => {
    const file = join(temporaryFolder(), "bad.safetensors");
    writeFileSync(file, "12345678{}");
    expect(await pt2("run", MLP, "--inputs", file)).toMatchObject({ code: 2 });
  });
});
