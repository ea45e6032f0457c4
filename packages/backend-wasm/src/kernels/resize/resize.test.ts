import type { Spatial } from "@pt2/engine";
import { type AxisTable, resizeTable } from "@pt2/engine/host";
import { RELATIVE, worstError } from "@pt2/testing/worst-error";
import { beforeEach, describe, expect, test } from "vitest";
import { random, testbed } from "../../kernels.test-helper.ts";
import { resized, signal } from "../../sampling.test-helper.ts";
import { divide } from "../../threads/team.ts";
import { planResize } from "./plan-resize.ts";

const bed = testbed(256);
const rng = random(11);

beforeEach(() => bed.clear());

type Tables = readonly [AxisTable | undefined, AxisTable | undefined, AxisTable | undefined];

function resize(x: Float32Array, batch: number, channels: number, input: Spatial, tables: Tables): Float32Array {
  const plan = planResize(bed, { batch, channels, input, tables });
  const length = batch * plan.output[0] * plan.output[1] * plan.output[2] * channels;
  const output = bed.room(length);
  const call = { input: bed.put(x), output, scratch: bed.room(plan.scratchBytes / 4) };
  for (const { division, begin, run } of plan.passes) {
    begin(call);
    for (const { start, count } of divide({ ...division, nanoseconds: 1e9 }, rng.below(3) + 1)) run(call, start, count);
  }
  expect(bed.intact()).toBe(true);
  return bed.floats(output, length);
}

describe("tables", () => {
  test.each(resized)(
    "a resize by $mode is PyTorch's with align $alignCorners, antialias $antialias, scale $scale",
    (golden) => {
      const { values, ...options } = golden;
      const table = resizeTable({ ...options, inLength: signal.length, outLength: values.length });
      const y = resize(Float32Array.from(signal), 1, 1, [1, 1, signal.length], [undefined, undefined, table]);
      expect(worstError(y, values, RELATIVE)).toBeLessThan(golden.mode.startsWith("nearest") ? 1e-7 : 3e-6);
    },
  );
});

/** The three tables applied at once, in double precision. */
function naive(x: Float32Array, batch: number, channels: number, tables: readonly AxisTable[]): Float64Array {
  const [d, h, w] = tables as [AxisTable, AxisTable, AxisTable];
  const y = new Float64Array(batch * d.outLength * h.outLength * w.outLength * channels);
  for (let i = 0; i < y.length; i++) {
    const at = [d, h, w].map((_, axis) => {
      const below = [d, h, w].slice(axis + 1).reduce((product, table) => product * table.outLength, channels);
      return Math.floor(i / below) % [d, h, w][axis]!.outLength;
    });
    const n = Math.floor(i / (channels * d.outLength * h.outLength * w.outLength));
    for (let a = at[0]! * d.taps; a < (at[0]! + 1) * d.taps; a++) {
      for (let b = at[1]! * h.taps; b < (at[1]! + 1) * h.taps; b++) {
        for (let c = at[2]! * w.taps; c < (at[2]! + 1) * w.taps; c++) {
          const pixel = ((n * d.inLength + d.indices[a]!) * h.inLength + h.indices[b]!) * w.inLength + w.indices[c]!;
          y[i]! += d.weights[a]! * h.weights[b]! * w.weights[c]! * x[pixel * channels + (i % channels)]!;
        }
      }
    }
  }
  return y;
}

describe("several axes", () => {
  test("a resize of several axes takes every order of passes, channel tails and batches", () => {
    for (const channels of [1, 3, 4, 7, 16]) {
      for (const [to, mode] of [
        [[2, 9, 4], "linear"],
        [[7, 3, 11], "cubic"],
        [[5, 13, 5], "nearest"],
      ] as const) {
        const input: Spatial = [3, 5, 7];
        const tables = input.map((inLength, axis) => resizeTable({ mode, inLength, outLength: to[axis]! }));
        const x = rng.floats(2 * 105 * channels);
        const y = resize(x, 2, channels, input, tables as unknown as Tables);
        expect(worstError(y, naive(x, 2, channels, tables), RELATIVE), `${channels} ${mode}`).toBeLessThan(2e-6);
        bed.clear();
      }
    }
  });
});
