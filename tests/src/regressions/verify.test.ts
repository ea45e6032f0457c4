// Bugs that programs for running exported models had: comparisons that pass, or fail, for the wrong reason.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fromBytes, readSafetensors, type TensorData, writeSafetensors } from "@pt2/format";
import { fromFile } from "@pt2/format/node";
import { recordedFile } from "@pt2/testing/recorded-file";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Captured } from "../capture.ts";
import { fixturePath } from "../fixture.ts";
import { pt2 } from "../pt2.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pt2-verify-"));
});
afterAll(() => rm(folder, { recursive: true }));

function verify(name: string, ...more: readonly string[]): Promise<Captured> {
  const files = (["inputs", "expected"] as const).flatMap((kind) => [
    `--${kind}`,
    recordedFile(fixturePath(name), kind),
  ]);
  return pt2("verify", fixturePath(`${name}.pt2`), "--json", ...files, ...more);
}

/** Expects what the fixture records, with one tensor changed. */
async function verifyChanged(name: string, change: (tensor: TensorData) => TensorData): Promise<Captured> {
  const source = await fromFile(recordedFile(fixturePath(name), "expected"));
  const { tensors } = await readSafetensors(source);
  await source.close?.();
  const path = join(folder, "expected.safetensors");
  const chunks: Uint8Array[] = [];
  await writeSafetensors(new Map([...tensors, ["0", change(tensors.get("0")!)]]), (chunk) => void chunks.push(chunk));
  await writeFile(path, Buffer.concat(chunks));
  return verify(name, "--expected", path);
}

it("outputs in dicts, lists and tuples are compared, and numbers beside them", async () => {
  expect((await verify("torch-2.13/trees")).code).toBe(0);
});

it("NaN where PyTorch has NaN is no difference", async () => {
  const { tensors } = await readSafetensors(fromBytes(await bytesOf("torch-2.13/numerics.expected.safetensors")));
  const hasNaN = [...tensors.values()].some(
    ({ dtype, bytes }) => dtype === "float32" && new Float32Array(bytes.slice().buffer).some(Number.isNaN),
  );
  expect(hasNaN).toBe(true);
  expect((await verify("torch-2.13/numerics")).code).toBe(0);
});

it("another dtype is a difference, whatever the values", async () => {
  const widened = ({ shape, bytes }: TensorData): TensorData => {
    const wide = Float64Array.from(new Float32Array(bytes.slice().buffer));
    return { dtype: "float64", shape, bytes: new Uint8Array(wide.buffer) };
  };
  const { code, stdout } = await verifyChanged("torch-2.13/mlp", widened);
  expect(code).toBe(1);
  expect(stdout).toContain("float64");
});

it("one wrong element is a difference", async () => {
  const changed = ({ dtype, shape, bytes }: TensorData): TensorData => {
    const values = new Float32Array(bytes.slice().buffer);
    values[7]! += 0.01;
    return { dtype, shape, bytes: new Uint8Array(values.buffer) };
  };
  expect((await verifyChanged("torch-2.13/mlp", changed)).code).toBe(1);
});

it("what could not be compared is an error of its own, not a difference", async () => {
  const missing = await verify("torch-2.13/mlp", "--inputs", join(folder, "none.safetensors"));
  expect(missing.code).toBe(2);
  expect(missing.stderr).toContain("none.safetensors");
});

it("two ways of running are compared node by node", async () => {
  const inputs = ["--inputs", fixturePath("torch-2.13/conv.inputs.safetensors")];
  const { code, stdout } = await pt2("verify", fixturePath("torch-2.13/conv.pt2"), "--per-node", ...inputs);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ok: \d+ values/);
});

async function bytesOf(name: string): Promise<Uint8Array> {
  const source = await fromFile(fixturePath(name));
  const bytes = await source.read(0, source.size);
  await source.close?.();
  return bytes;
}
