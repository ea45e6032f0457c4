import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compareTensors } from "@pt2/backend";
import { writeSafetensors } from "@pt2/format";
import { tensor } from "@pt2/runtime";
import { describe, expect, it } from "vitest";
import { fixtureArgs, fixturePath, pt2, temporaryFolder, withExtraFiles } from "../fixtures.test-helper.ts";
import { readTensorFile } from "../tensors/tensor-file.ts";
import { defaultTolerance } from "./tolerance.ts";

describe("compareTensors", () => {
  const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
  const floats = (...values: readonly number[]) => tensor("float32", [1, values.length], values);
  const tolerance = { rtol: 1e-3, atol: 1e-4 };

  it("compareTensors treats NaN and infinities as equal to themselves", () => {
    const same = floats(nan, inf, -inf, 0);
    expect(compareTensors(same, floats(nan, inf, -inf, -0), tolerance)).toMatchObject({
      ok: true,
      ratio: 0,
      worst: null,
    });
    expect(compareTensors(same, floats(nan, -inf, -inf, 0), tolerance)).toMatchObject({
      ok: false,
      bad: 1,
      ratio: inf,
    });
    expect(compareTensors(floats(1), floats(nan), tolerance)).toMatchObject({ ok: false, bad: 1, maxAbs: inf });
  });

  it("compareTensors finds the worst element", () => {
    const result = compareTensors(floats(1, 100, 2), floats(1.0005, 100.5, 2), tolerance);
    expect(result).toMatchObject({
      ok: false,
      bad: 1,
      count: 3,
      worst: { index: [0, 1], expected: 100, actual: 100.5 },
    });
    expect(result.ratio).toBeCloseTo(0.5 / 0.1001, 3);
    const exact = compareTensors(floats(1, 2, 3), floats(2, 7, 4), { rtol: 0, atol: 0 });
    expect(exact).toMatchObject({ bad: 3, worst: { index: [0, 1], expected: 2, actual: 7 } });
  });

  it("compareTensors compares integers exactly, and dtypes and shapes first", () => {
    const big = (value: bigint) => tensor("int64", [1], [value]);
    const exact = defaultTolerance("int64");
    expect(compareTensors(big(2n ** 60n), big(2n ** 60n + 1n), exact)).toMatchObject({ ok: false, maxAbs: 1 });
    expect(compareTensors(big(1n), tensor("int32", [1], [1]), exact).problem).toBe("int32 [1] instead of int64 [1]");
  });

  it("compareTensors compares float16 and complex numbers by value", () => {
    const half = (bits: number) => tensor("float16", [1], Uint16Array.of(bits));
    expect(compareTensors(half(0x3c00), half(0x3c01), defaultTolerance("float16"))).toMatchObject({ ok: true });
    const complex = (re: number, im: number) => tensor("complex64", [1], Float32Array.of(re, im));
    expect(compareTensors(complex(3, 4), complex(3, 4.01), tolerance)).toMatchObject({ ok: false, bad: 1 });
  });
});

describe("pt2 verify", () => {
  it.each(["torch-2.6/dynamic", "torch-2.8/buffers_aten", "torch-2.13/trees", "programs/scalars"])(
    "pt2 verify accepts PyTorch's results: %s",
    async (name) => {
      const { code, out } = await pt2("verify", ...fixtureArgs(name));
      expect(out).toMatch(/^ok: \d+ outputs? of \d calls?/m);
      expect(code).toBe(0);
    },
  );

  it("pt2 verify uses the archive's own sample inputs and results", async () => {
    const [file = "", inputs = "", path = ""] = fixtureArgs("torch-2.13/mlp", false);
    const expected = readFileSync(fixturePath("torch-2.13/mlp.expected.safetensors"));
    // The recorded inputs of this fixture are not those that it was exported with.
    const sample = join(temporaryFolder(), "sample.safetensors");
    expect(await pt2("run", file, "-o", sample)).toMatchObject({ code: 0 });
    const extra = (bytes: Buffer) => new Map([["expected.safetensors.base64", bytes.toString("base64")]]);
    const own = await withExtraFiles("torch-2.13/mlp", extra(readFileSync(sample)));
    expect(await pt2("verify", own)).toMatchObject({ code: 0, out: expect.stringMatching(/^ok: 1 output of 1 call/m) });
    expect(await pt2("verify", file, "--expected", sample)).toMatchObject({ code: 0 });
    const recorded = await withExtraFiles("torch-2.13/mlp", extra(expected));
    expect(await pt2("verify", recorded, inputs, path)).toMatchObject({ code: 0 });
    expect(await pt2("verify", own, "--per-node")).toMatchObject({ code: 0 });
    const none = await pt2("verify", file);
    expect(none).toMatchObject({ code: 2, err: expect.stringContaining("code: cli.no-expected") });
  });

  it("pt2 verify finds results by name, and lists outputs without an expected result", async () => {
    const [file = "", ...inputs] = fixtureArgs("programs/model_output", false);
    const all = await readTensorFile(fixturePath("programs/model_output.expected.safetensors"));
    const path = join(temporaryFolder(), "some.safetensors");
    const chunks: Uint8Array[] = [];
    const some = new Map([
      ["last_hidden_state", all.get("0")!],
      ["output.hidden_states[1]", all.get("3")!],
    ]);
    await writeSafetensors(some, (chunk) => void chunks.push(chunk.slice()));
    writeFileSync(path, Buffer.concat(chunks));
    const { code, out } = await pt2("verify", file, ...inputs, "--expected", path);
    expect(out).toContain("No results were expected for output.pooler_output, output.hidden_states[0].");
    expect(code).toBe(0);
  });

  it("pt2 verify says where only the order of ties differs", async () => {
    const folder = temporaryFolder();
    const write = async (name: string, tensors: Readonly<Record<string, ReturnType<typeof tensor>>>) => {
      const chunks: Uint8Array[] = [];
      await writeSafetensors(new Map(Object.entries(tensors)), (chunk) => void chunks.push(chunk.slice()));
      writeFileSync(join(folder, name), Buffer.concat(chunks));
      return join(folder, name);
    };
    const program = join(folder, "topk.txt");
    writeFileSync(
      program,
      `program {
  user_input %x: f32[4]
  %values: f32[3], %indices: i64[3] = aten::topk(%x, k=3)
  return %values, %indices
}
`,
    );
    const x = await write("x.safetensors", { "0": tensor("float32", [4], [5, 1, 5, 9]) });
    const file = join(folder, "topk.pt2");
    expect(await pt2("save", program, "--weights", x, "-o", file)).toMatchObject({ code: 0 });
    const values = tensor("float32", [3], [9, 5, 5]);
    const verify = async (...order: readonly bigint[]) => {
      const expected = await write("out.safetensors", { "0": values, "1": tensor("int64", [3], order) });
      return pt2("verify", file, "--inputs", x, "--expected", expected);
    };
    const runs = [await verify(3n, 0n, 2n), await verify(3n, 2n, 0n)];
    expect(runs.map(({ code }) => code)).toEqual([0, 0]);
    expect(runs.filter(({ out }) => out.includes(": only the order of ties differs, those of "))).toHaveLength(1);
    expect(await verify(3n, 0n, 1n)).toMatchObject({ code: 1 });
  });

  it("pt2 verify allows what half precision does where a program computes in it, and says so", async () => {
    const folder = temporaryFolder();
    const write = async (name: string, tensors: Readonly<Record<string, ReturnType<typeof tensor>>>) => {
      const chunks: Uint8Array[] = [];
      await writeSafetensors(new Map(Object.entries(tensors)), (chunk) => void chunks.push(chunk.slice()));
      writeFileSync(join(folder, name), Buffer.concat(chunks));
      return join(folder, name);
    };
    const program = join(folder, "half.txt");
    writeFileSync(
      program,
      `program {
  user_input %x: f32[3]
  %a: bf16[3] = aten::_to_copy(%x, dtype=torch.bfloat16)
  %b: bf16[3] = aten::mul.Tensor(%a, other=%a)
  %c: f32[3] = aten::_to_copy(%b, dtype=torch.float32)
  %d: f32[3] = aten::mul.Tensor(%x, other=%x)
  return %c, %d
}
`,
    );
    const x = await write("x.safetensors", { "0": tensor("float32", [3], [1, 2, 4]) });
    const file = join(folder, "half.pt2");
    expect(await pt2("save", program, "--weights", x, "-o", file)).toMatchObject({ code: 0 });
    const verify = async (half: readonly number[], full: readonly number[], ...options: readonly string[]) => {
      const outputs = { "0": tensor("float32", [3], half), "1": tensor("float32", [3], full) };
      return pt2("verify", file, "--inputs", x, "--expected", await write("out.safetensors", outputs), ...options);
    };
    // An eighth of a bfloat16's step at the largest element, which is more than float32's tolerance.
    const off = [1.02, 4, 16];
    const allowed = await verify(off, [1, 4, 16]);
    expect(allowed.out).toContain(
      "output[0]: computed in bfloat16, which decides on the tolerance: rtol 0.02, atol 0.01\n",
    );
    expect(allowed.out).not.toContain("output[1]: computed");
    expect(allowed.code).toBe(0);
    const json = JSON.parse((await verify(off, [1, 4, 16], "--json")).out);
    expect(json.checks.map((check: { computedIn?: string }) => check.computedIn)).toEqual(["bfloat16", undefined]);
    expect(await verify([1, 4, 16], off)).toMatchObject({ code: 1 });
    expect(await verify(off, [1, 4, 16], "--rtol", "1e-3")).toMatchObject({ code: 1 });
    expect(await verify([1.5, 4, 16], [1, 4, 16])).toMatchObject({ code: 1 });
  });

  it("pt2 verify describes the differences", async () => {
    const wrong = fixturePath("torch-2.13/mlp.inputs.safetensors");
    const [file = "", ...inputs] = fixtureArgs("torch-2.13/mlp", false);
    const { code, out } = await pt2("verify", file, ...inputs, "--expected", wrong);
    expect(code).toBe(1);
    expect(out).toContain("output: float32 [5, 3] instead of float32 [5, 7]");
    const strict = await pt2("verify", ...fixtureArgs("torch-2.13/attention"), "--rtol", "0", "--atol", "1e-12");
    expect(strict.code).toBe(1);
    const [, is, wanted] = /worst element \[[\d, ]+\] is (\S+), expected (\S+)/.exec(strict.out) ?? [];
    expect(is).toBeDefined();
    expect(is).not.toBe(wanted);
  });
});
