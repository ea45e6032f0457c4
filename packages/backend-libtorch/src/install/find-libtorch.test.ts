import { join } from "node:path";
import { expect, it } from "vitest";
import { fakeCommand, fakeLibtorch, libtorchFiles, temporaryFolder, writeFiles } from "./fakes.test-helper.ts";
import { describeLibtorch, findLibtorch, searchLibtorch } from "./find-libtorch.ts";

/** An environment in which there is nothing. */
async function emptyEnvironment(): Promise<Record<string, string>> {
  return { PT2_CACHE: await temporaryFolder(), PATH: await temporaryFolder() };
}

/** A Python that prints the folder of its torch. */
async function pythonWith(answer: string, name = "python3"): Promise<string> {
  return await fakeCommand(name, `echo "${answer}"`);
}

it("takes the folder that PT2_LIBTORCH names", async () => {
  const path = await fakeLibtorch();
  const search = await searchLibtorch({ env: { ...(await emptyEnvironment()), PT2_LIBTORCH: path } });
  expect(search.libtorch?.path).toBe(path);
  expect(search.places).toEqual([{ name: "PT2_LIBTORCH", path, finding: "torch 2.13.0+cpu, CPU build" }]);
});

it("looks nowhere else when PT2_LIBTORCH is wrong", async () => {
  const env = { ...(await emptyEnvironment()), PATH: await pythonWith(await fakeLibtorch()), PT2_LIBTORCH: "/nowhere" };
  await expect(findLibtorch({ env })).rejects.toMatchObject({
    code: "libtorch.not-found",
    what: "PT2_LIBTORCH is not a usable libtorch",
    where: "\n    1. PT2_LIBTORCH (/nowhere): no such folder",
    advice: expect.stringContaining("2. unset PT2_LIBTORCH"),
  });
});

it("asks the Pythons in order", async () => {
  const [first, second] = [await fakeLibtorch("2.8.0"), await fakeLibtorch("2.9.0")];
  const env = await emptyEnvironment();
  const onPath = { ...env, PATH: await pythonWith(second) };
  expect((await findLibtorch({ env: onPath })).version).toBe("2.9.0");
  const named = { ...onPath, PT2_PYTHON: join(await pythonWith(first), "python3") };
  expect((await findLibtorch({ env: named })).version).toBe("2.8.0");
  const active = await fakeCommand("bin/python", `echo ${first}`);
  expect((await findLibtorch({ env: { ...onPath, VIRTUAL_ENV: active } })).version).toBe("2.8.0");
});

it("finds torch of a virtual environment without starting its interpreter", async () => {
  const venv = await fakeCommand("bin/python", "exit 3");
  await writeFiles(venv, { "pyvenv.cfg": "" });
  await writeFiles(join(venv, "lib/python3.12/site-packages/torch"), libtorchFiles("2.7.1"));
  const env = { ...(await emptyEnvironment()), VIRTUAL_ENV: venv };
  expect((await findLibtorch({ env })).version).toBe("2.7.1");
  const { places } = await searchLibtorch({ env: { ...env, PYTHONPATH: "/elsewhere" } });
  expect(places).toContainEqual(
    expect.objectContaining({ name: "VIRTUAL_ENV", finding: expect.stringMatching(/failed/) }),
  );
});

it("takes the newest of the cache folder last", async () => {
  const env = await emptyEnvironment();
  for (const version of ["2.9.0", "2.10.0", "2.5.0"]) {
    await writeFiles(join(env.PT2_CACHE!, "libtorch", version, "torch"), libtorchFiles(version));
  }
  await writeFiles(join(env.PT2_CACHE!, "libtorch"), { "draft-1/torch/lib/x": "" });
  expect((await findLibtorch({ env })).version).toBe("2.10.0");
});

it("lists every place, and what to do", async () => {
  const env = await emptyEnvironment();
  const old = await fakeLibtorch("2.4.0");
  const venv = await fakeCommand("bin/python", `echo ${old}`);
  const PATH = await fakeCommand("python", "echo", await fakeCommand("python3", "echo it broke >&2; exit 1"));
  const problem = await findLibtorch({ env: { ...env, VIRTUAL_ENV: venv, PATH } }).catch((error: unknown) => error);
  expect((problem as Error).message.split("\n")).toEqual([
    "No libtorch was found",
    "  where: ",
    "    1. PT2_LIBTORCH: not set",
    "    2. PT2_PYTHON: not set",
    `    3. VIRTUAL_ENV (${old}): torch 2.4.0 is too old, 2.6 or later is needed`,
    "    4. CONDA_PREFIX: not set",
    `    5. python3 on the PATH (${PATH}/python3): the interpreter failed: it broke`,
    `    6. python on the PATH (${PATH}/python): this Python has no torch`,
    `    7. cache (${env.PT2_CACHE}/libtorch): nothing installed`,
    "  what to do: ",
    expect.stringContaining("1. npx @pt2/cli libtorch install"),
    expect.stringContaining("2. pip install torch"),
    expect.stringContaining("3. PT2_LIBTORCH=FOLDER"),
  ]);
  expect(problem).toMatchObject({ details: { places: { length: 7 } } });
});

it("a folder that the caller names is the only place", async () => {
  const folder = await fakeLibtorch("2.12.0");
  const env = { ...(await emptyEnvironment()), PT2_LIBTORCH: await fakeLibtorch() };
  expect((await findLibtorch({ folder, env })).version).toBe("2.12.0");
  await expect(findLibtorch({ folder: "/nowhere", env })).rejects.toThrow("the folder given is not a usable libtorch");
});

it("describes a libtorch in words", () => {
  const libtorch = { path: "/x", version: "2.6.0+cu124", build: "cuda", cxx11Abi: false } as const;
  expect(describeLibtorch(libtorch)).toBe("torch 2.6.0+cu124, CUDA build, old C++ ABI");
});
