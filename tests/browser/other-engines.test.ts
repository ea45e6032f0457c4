import { readFileSync } from "node:fs";
import { viewAs } from "@pt2/backend";
import type { SuitePart } from "@pt2/conformance";
import { fromBytes, readSafetensors } from "@pt2/format";
import { tensor } from "@pt2/runtime";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { difference } from "../src/difference.ts";
import { ENGINES, type EnginePage, findEngine, openEngine } from "./other-engines.ts";

/** What reaches every kind of kernel; the whole suite takes minutes. */
const PARTS: readonly SuitePart[] = ["binary", "matmul", "conv", "reduce", "rnn", "lifecycle", "random"];

describe.each(ENGINES.map(([engine, isolated]) => ({ engine, isolated, name: engine.name })))(
  "in $name, isolated: $isolated",
  ({ engine, isolated }) => {
    const files = findEngine(engine);
    if (files === null) {
      test.skip(`skipped: ${engine.name} is not installed: ${engine.packages}`);
      return;
    }
    let page: EnginePage;
    beforeEach(async () => {
      page = await openEngine(engine, files, { isolated });
    });
    afterEach(() => page?.close());

    test("a network that is loaded again gives PyTorch's logits, with threads where they share memory", async () => {
      const bytes = readFileSync(new URL("../../examples/digits/held-out.safetensors", import.meta.url));
      const { tensors } = await readSafetensors(fromBytes(bytes));
      const [images, logits] = [tensors.get("images")!, tensors.get("logits")!];
      const pixels = Array.from(images.bytes, (gray) => gray / 255);
      const found = await page.ask("network", "/digits/digits.pt2", [360, 1, 8, 8], pixels, [1, 3]);
      expect(found.isolated).toBe(isolated);
      const expected = tensor("float32", logits.shape, viewAs("float32", logits.bytes));
      expect(new Set(found.answers.map((answer) => answer.join())).size).toBe(1);
      expect(difference(tensor("float32", logits.shape, found.answers[0]!), expected)).toBeNull();
      const last = found.explained.at(-1);
      if (isolated && found.shares) expect(last).toContain("; 3 threads");
      else
        expect(last).toMatch(/; 1 thread: (threads share memory only in a page|this browser has no SharedArrayBuffer)/);
    });

    test("the backend keeps the contract", async ({ onTestFailed }) => {
      // A test that takes forever says no more than that by itself.
      onTestFailed(() => console.error(`${engine.name} was at ${page.current}`));
      const { passed, failed } = await page.ask("conformance", PARTS);
      expect(failed).toEqual([]);
      expect(passed).toBeGreaterThan(500);
    });
  },
);
