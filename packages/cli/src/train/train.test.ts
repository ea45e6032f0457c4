import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type HostTensor, hostTensor } from "@pt2/backend";
import { writeSafetensors } from "@pt2/format";
import { describe, expect, it, onTestFinished } from "vitest";
import { pt2 } from "../fixtures.test-helper.ts";

const DIGITS = fileURLToPath(new URL("../../../../examples/digits/digits.pt2", import.meta.url));

/** Makes a folder with pictures of two kinds: bright at the left is a 0, bright at the right a 1. */
async function folderWithData(count = 64): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pt2-train-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const image = Float32Array.from({ length: count * 64 }, (_, i) => {
    const [row, column] = [Math.floor(i / 64), i % 8];
    return column < 4 === (row % 2 === 0) ? 1 : 0;
  });
  const target = BigInt64Array.from({ length: count }, (_, i) => BigInt(i % 2));
  const tensors = new Map<string, HostTensor>([
    ["image", hostTensor("float32", [count, 1, 8, 8], image)],
    ["target", hostTensor("int64", [count], target)],
  ]);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  await writeSafetensors(tensors, (bytes) => void chunks.push(bytes.slice()));
  await writeFile(join(folder, "data.safetensors"), new Uint8Array(await new Blob(chunks).arrayBuffer()));
  return folder;
}

describe("pt2 train", () => {
  it("trains a program that returns predictions, and writes it", async () => {
    const folder = await folderWithData();
    const [data, trained] = [join(folder, "data.safetensors"), join(folder, "trained.pt2")];
    const how = ["--loss", "cross_entropy_loss", "--batch", "16", "--epochs", "3", "--lr", "0.003", "--json"];
    const { code, out, err } = await pt2("train", DIGITS, "--data", data, ...how, "-o", trained);
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/^epoch 1 of 3: loss .*\nepoch 2 of 3: .*\nepoch 3 of 3: .*\n$/),
    ]);
    const report = JSON.parse(out);
    expect(report).toMatchObject({ backend: "wasm", steps: 12, batch: 16, output: trained });
    expect(report.losses[2]).toBeLessThan(report.losses[0] / 4);
    const after = await pt2(
      "train",
      trained,
      "--data",
      data,
      "--loss",
      "cross_entropy_loss",
      "--batch",
      "64",
      "--json",
      "-o",
      trained,
    );
    expect(JSON.parse(after.out).losses[0]).toBeLessThan(report.losses[0]);
  });

  it("a checkpoint resumes with the count of its steps", async () => {
    const folder = await folderWithData();
    const [data, checkpoint] = [join(folder, "data.safetensors"), join(folder, "c.safetensors")];
    const how = ["--loss", "cross_entropy_loss", "--batch", "32", "--optimizer", "sgd", "--momentum", "0.9", "--json"];
    const first = await pt2("train", DIGITS, "--data", data, ...how, "--checkpoint", checkpoint);
    expect(JSON.parse(first.out).steps).toBe(2);
    const second = await pt2(
      "train",
      DIGITS,
      "--data",
      data,
      ...how,
      "--resume",
      checkpoint,
      "--checkpoint",
      checkpoint,
    );
    expect(JSON.parse(second.out).steps).toBe(4);
    const other = await pt2(
      "train",
      DIGITS,
      "--data",
      data,
      "--loss",
      "mse_loss",
      "--resume",
      checkpoint,
      "-o",
      "x.pt2",
    );
    expect(other.code).not.toBe(0);
    const program = await pt2("train", DIGITS, "--data", data, ...how, "--resume", DIGITS, "-o", "x.pt2");
    expect(program).toMatchObject({ code: 2, err: expect.stringContaining(`${DIGITS} is not a checkpoint: `) });
  });

  it("a cosine falls over the steps before a checkpoint and those of the run that resumes", async () => {
    const folder = await folderWithData();
    const [data, checkpoint] = [join(folder, "data.safetensors"), join(folder, "c.safetensors")];
    const rate = ["--optimizer", "sgd", "--lr", "0.003", "--cosine"];
    const how = ["--data", data, "--loss", "cross_entropy_loss", "--batch", "32", ...rate, "--checkpoint", checkpoint];
    await pt2("train", DIGITS, ...how);
    const resumed = await pt2("train", DIGITS, ...how, "--resume", checkpoint, "--epochs", "2", "--json");
    const { steps, losses } = JSON.parse(resumed.out);
    // The rate of the third of six steps is three quarters of the first one.
    expect(steps).toBe(6);
    expect(losses[1]).toBeLessThan(losses[0] * 0.99);
  });

  it("takes every seed of PyTorch for the order of the examples", async () => {
    const folder = await folderWithData();
    const [data, trained] = [join(folder, "data.safetensors"), join(folder, "trained.pt2")];
    const how = ["--data", data, "--loss", "cross_entropy_loss", "--batch", "16", "-o", trained];
    for (const seed of ["-1", `${-(2n ** 63n)}`, `${2n ** 64n - 1n}`]) {
      expect(await pt2("train", DIGITS, ...how, `--seed=${seed}`)).toMatchObject({ code: 0 });
    }
    const refused = await pt2("train", DIGITS, ...how, "--seed", "x");
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('--seed takes a whole number, not "x"') });
  });

  it.each([
    ["-o", "folder"],
    ["-o", "missing/trained.pt2"],
    ["--checkpoint", "folder"],
    ["--checkpoint", "data.safetensors/c.safetensors"],
  ])("refuses %s %s before it trains, and leaves no file", async (option, target) => {
    const folder = await folderWithData();
    await mkdir(join(folder, "folder"));
    const before = await readdir(folder);
    const how = ["--data", join(folder, "data.safetensors"), "--loss", "cross_entropy_loss"];
    const { code, err } = await pt2("train", DIGITS, ...how, option, join(folder, target));
    expect(code).toBe(2);
    expect(err).toContain(`The file cannot be written\n  where: ${join(folder, target)}`);
    expect(err).toContain("code: cli.io");
    expect(err).not.toContain("epoch");
    expect(await readdir(folder)).toEqual(before);
  });

  it("keeps the file that is there where the training fails", async () => {
    const folder = await folderWithData();
    const [data, trained] = [join(folder, "data.safetensors"), join(folder, "trained.pt2")];
    await writeFile(trained, "before");
    // The program returns no loss.
    expect(await pt2("train", DIGITS, "--data", data, "-o", trained)).toMatchObject({ code: 2 });
    expect(await readFile(trained, "utf8")).toBe("before");
  });

  it.each([
    [["--data", "data.safetensors"], "train needs --output or --checkpoint"],
    [["--data", "data.safetensors", "-o", "t.pt2", "--optimizer", "lion"], 'there is no optimizer "lion"'],
    [["-o", "t.pt2"], "--data is required"],
    [["--data", "data.safetensors", "-o", "t.pt2", "--checkpoint", "t.pt2"], "--output and --checkpoint are one file"],
    [
      ["--data", "data.safetensors", "-o", "t.pt2", "--loss", "cross_entropy_loss", "--accumulate", "5"],
      "there are 2 batches, and --accumulate makes one update of 5",
    ],
    [["--data", "data.safetensors", "-o", "t.pt2", "--loss", "mse_loss"], "target"],
    [["--data", "data.safetensors", "-o", "t.pt2", "--loss", "cross_entropy_loss", "--batch", "99"], "a batch has 99"],
    [
      ["--data", "data.safetensors", "-o", "t.pt2", "--loss", "cross_entropy_loss", "--train", "("],
      "regular expression",
    ],
    [["--data", "data.safetensors", "-o", "t.pt2"], "No result of the program is one floating point number"],
    [["--data", "data.safetensors", "-o", "t.pt2"], "what to do: --loss OP compares the first result with a target"],
    [["--data", "data.safetensors", "-o", "t.pt2", "--loss", "cross_entropy"], 'there is no loss "cross_entropy"'],
    [
      ["--data", "data.safetensors", "-o", "t.pt2", "--loss", "mine::loss"],
      "what to do: the losses are binary_cross_entropy, ",
    ],
  ])("refuses %j", async (args, message) => {
    const folder = await folderWithData();
    const given = args.map((arg) => (/\.(safetensors|pt2)$/.test(arg) ? join(folder, arg) : arg));
    const { code, err } = await pt2("train", DIGITS, ...given);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});
