import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { wasm } from "@pt2/backend-wasm/node";
import { torchvision } from "@pt2/ops-torchvision/wasm";
import { loadDetector, type Pixels } from "@pt2/vision/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { missingPython, python } from "./python.ts";

const HERE = fileURLToPath(new URL("export_detection_calls.py", import.meta.url));

/** What the command line said to one call. */
interface Answer {
  readonly status: number;
  readonly said: string;
}

/** A black picture with a white cell of 8 × 8 pixels. */
function picture(width: number, height: number, cell: readonly [x: number, y: number] | null): Pixels {
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; cell !== null && y < 8; y++) {
    const start = ((8 * cell[1] + y) * width + 8 * cell[0]) * 3;
    data.fill(255, start, start + 24);
  }
  return { data, width, height };
}

describe.skipIf(python === undefined)(`the script that exports detectors${missingPython}`, () => {
  let folder = "";
  let answers: Readonly<Record<string, Answer>> = {};
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pt2-detectors-"));
    const { stdout, stderr } = spawnSync(python!, ["-W", "ignore", HERE, folder], { encoding: "utf8" });
    const line = stdout.trim().split("\n").at(-1)!;
    expect(line, stderr).toMatch(/^\{/);
    answers = JSON.parse(line);
  }, 60_000);
  afterAll(() => rm(folder, { recursive: true }));

  it.each([
    [
      "a model that torchvision lacks",
      /nonsense is neither a folder nor a detection model of torchvision.* ssdlite320/,
    ],
    ["a file that is not there", /nowhere\.pth is neither a file nor among the weights of .*COCO_V1/],
    ["a file of something else", /text\.pth cannot be read|text\.pth holds something else than tensors/],
    ["weights of another model", /other\.pth does not fit ssdlite320_mobilenet_v3_large/],
    ["a folder of something else", /has no config\.json/],
    ["weights for a folder", /--weights is for models of torchvision/],
    ["a picture without pixels", /0 × 64 has no pixels/],
    ["too few names of classes", /names\.txt has 1 names, but the model 91 classes/],
    ["a program of another name", /x\.onnx does not end in \.pt2/],
    ["a place that is not there", /nowhere.* is no folder/],
  ])("refuses %s with one sentence", (call, message) => {
    const { status, said } = answers[call]!;
    expect(said).toMatch(message);
    expect(said.trim().split("\n")).toHaveLength(1);
    expect(status).toBe(1);
  });

  it("counts the classes of weights by the layer that tells them apart", () => {
    expect(answers.classes).toEqual({
      fasterrcnn_mobilenet_v3_large_320_fpn: { num_classes: 3 },
      ssd300_vgg16: { num_classes: 4 },
      ssdlite320_mobilenet_v3_large: { num_classes: 5 },
      retinanet_resnet50_fpn: { num_classes: 6 },
      fcos_resnet50_fpn: { num_classes: 7 },
      keypointrcnn_resnet50_fpn: { num_classes: 2, num_keypoints: 4 },
    });
  });

  it("says in the program which package has its ops", async () => {
    await using backend = wasm();
    await expect(loadDetector(join(folder, "cells.pt2"), { backend })).rejects.toThrow(
      "npm install @pt2/ops-torchvision`",
    );
  });

  it("writes a program for pictures of any size, and its preset, which find things in them", async () => {
    expect(answers.sides).toEqual([16, 96]);
    expect(JSON.parse(readFileSync(join(folder, "cells.json"), "utf8"))).toMatchObject({ labels: ["dark", "bright"] });
    await using backend = wasm();
    await using things = await loadDetector(join(folder, "cells.pt2"), { backend, ops: [torchvision] });
    // As large as the preset makes them, so that no pixel changes.
    const sizes = [
      [24, 24],
      [64, 24],
      [24, 80],
    ] as const;
    for (const [width, height] of sizes) {
      const found = await things.detect(picture(width, height, [2, 1]));
      expect(found.map(({ label, box, score }) => [label, box, score])).toEqual([["bright", [16, 8, 24, 16], 1]]);
      expect(await things.detect(picture(width, height, null))).toEqual([]);
    }
  });
});
