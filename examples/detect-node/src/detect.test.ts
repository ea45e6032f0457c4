import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { orWhyNot } from "@pt2/testing/or-why-not";
import { type ImageDetector, loadDetector, type NodeImage } from "@pt2/vision/node";
import sharp from "sharp";
import { afterAll, describe, expect, it } from "vitest";
import type { Arguments } from "./arguments.ts";
import { ready } from "./backends.ts";
import { detect } from "./detect.ts";
import { here, overlap, SCENES } from "./scenes.test-helper.ts";

interface Opened {
  readonly name: Arguments["backend"];
  readonly detector: ImageDetector<NodeImage> | null;
  /** Why this machine does not have it. */
  readonly why: string;
  dispose(): Promise<void>;
}

/** What loads have warned of. */
const warnings: string[] = [];

/** The detector on a backend, or why this machine does not have that. */
async function open(name: Arguments["backend"]): Promise<Opened> {
  const made = await orWhyNot(ready(name));
  if (typeof made === "string") return { name, detector: null, why: ` (skipped: ${made})`, dispose: async () => {} };
  const { backend, ops } = made;
  const detector = await loadDetector(here("digits-and-shapes.pt2"), {
    backend,
    ops,
    onWarning: (text) => void warnings.push(text),
  });
  const dispose = async () => {
    await detector.dispose();
    await backend.dispose();
  };
  return { name, detector, why: "", dispose };
}

const opened = await Promise.all([open("wasm"), open("libtorch")]);
afterAll(async () => {
  for (const each of opened) await each.dispose();
});

for (const { name, detector, why } of opened) {
  describe.skipIf(detector === null)(`${name}${why}`, () => {
    it("finds in each scene what PyTorch finds", async () => {
      for (const { picture, found } of SCENES) {
        const answer = await detector!.detect(here(`scenes/${picture}`));
        expect(answer.map(({ index }) => index)).toEqual(found.labels);
        for (const [i, { box, score }] of answer.entries()) {
          expect(Math.abs(score - found.scores[i]!)).toBeLessThan(1e-4);
          for (const [k, side] of box.entries()) expect(Math.abs(side - found.boxes[i]![k]!)).toBeLessThan(0.05);
        }
      }
    });

    it("finds nearly everything that was drawn, hardly anything else, and nothing where nothing is", async () => {
      let [right, drawn, said] = [0, 0, 0];
      for (const { picture, boxes, labels } of SCENES) {
        const answer = await detector!.detect(here(`scenes/${picture}`));
        const isFound = (box: (typeof boxes)[number], i: number): boolean =>
          answer.some((each) => each.index === labels[i] && overlap(each.box, box) > 0.5);
        right += boxes.filter(isFound).length;
        drawn += boxes.length;
        said += answer.length;
        if (boxes.length === 0) expect(answer).toEqual([]);
      }
      expect(drawn).toBeGreaterThan(40);
      expect(right / drawn).toBeGreaterThan(0.9);
      expect(right / said).toBeGreaterThan(0.9);
    });
  });
}

it("the whole program runs in the worker on wasm, torchvision's op too", () => {
  expect(warnings).toEqual([]);
});

describe("the command", () => {
  it("writes the picture with boxes, in its size, in the format that the name says", async () => {
    const folder = await mkdtemp(join(tmpdir(), "detect-"));
    try {
      const { picture, found } = SCENES.at(-3)!;
      const [path, output] = [here(`scenes/${picture}`), join(folder, "found.png")];
      const report = await detect({ picture: path, output, backend: "wasm", model: null, threshold: 0.9 });
      const scores = found.scores.filter((score) => score >= 0.9);
      expect(report.found).toHaveLength(scores.length);
      const [before, after] = await Promise.all(
        [path, await readFile(output)].map((image) =>
          sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true }),
        ),
      );
      expect((await sharp(output).metadata()).format).toBe("png");
      expect([after!.info.width, after!.info.height]).toEqual([before!.info.width, before!.info.height]);
      // The middle of the upper side of the first box has another color than before.
      const [x1, y1, x2] = report.found[0]!.box.map(Math.round) as [number, number, number];
      const at = 3 * (y1 * before!.info.width + ((x1 + x2) >> 1));
      expect(after!.data.subarray(at, at + 3)).not.toEqual(before!.data.subarray(at, at + 3));
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
