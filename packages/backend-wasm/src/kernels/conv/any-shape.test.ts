import { volume } from "@pt2/engine";
import { expect, test } from "vitest";
import { BUILDS, type Random, random, testbed } from "../../kernels.test-helper.ts";
import { difference, shapeOf } from "./convolution.test-helper.ts";
import { chooseAlgorithm } from "./plan-conv.ts";
import { takesStrips } from "./strips.ts";
import type { ConvAlgorithm, ConvShape } from "./types.ts";
import { convOutput } from "./window.ts";
import { winogradOf } from "./winograd.ts";

const ROUNDS = Number(process.env.PT2_FUZZ_ROUNDS ?? 1);
/** Products of a convolution that is still computed by definition in little time. */
const MOST_PRODUCTS = 5e6;

/** A convolution with any channels, groups, sizes and paddings, one of six with depth; null if it has no output or too much. */
function anyShape(rng: Random): ConvShape | null {
  const upTo = (most: number): number => 1 + rng.below(most);
  const depth = rng.below(6) === 0;
  const groups = rng.below(2) === 0 ? 1 : upTo(6);
  // Whole vectors of channels, as networks have them, and others.
  const each = (most: number): number => (rng.below(2) === 0 ? upTo(most) : 4 * upTo(most / 4));
  const ends = (): ConvShape["padding"] => [depth ? rng.below(2) : 0, rng.below(4), rng.below(4)];
  const shape = shapeOf({
    batch: upTo(2),
    groups,
    inChannels: groups * (rng.below(3) === 0 ? 1 : each(20)),
    outChannels: groups * each(40),
    input: [depth ? upTo(3) : 1, upTo(63), upTo(63)],
    kernel: [depth ? upTo(3) : 1, upTo(5), upTo(5)],
    stride: [1, upTo(3), upTo(2)],
    dilation: [1, upTo(2), upTo(2)],
    padding: ends(),
    ...(rng.below(5) === 0 ? { transposed: true } : { paddingEnd: ends() }),
  });
  const sizes = convOutput(shape);
  const small = shape.transposed ? shape.input : sizes;
  const products = (volume(small) * volume(shape.kernel) * shape.inChannels * shape.outChannels) / groups;
  return Math.min(...sizes) < 1 || shape.batch * products > MOST_PRODUCTS ? null : shape;
}

function anyAlgorithm(rng: Random, shape: ConvShape): ConvAlgorithm {
  const winograd = winogradOf(shape);
  if (winograd.length > 0 && rng.below(2) === 0) return winograd[rng.below(winograd.length)]!;
  if (takesStrips(shape) && rng.below(3) === 0) return "strips";
  return !shape.transposed && shape.groups === 1 && rng.below(2) === 0 ? "im2col" : chooseAlgorithm(shape);
}

test.each(BUILDS)(
  "a convolution of any shape has the results of its definition, and writes nothing else, in the build %s",
  (build) => {
    const bed = testbed(1024, { build });
    const rng = random(3 + BUILDS.indexOf(build));
    for (let done = 0; done < 200 * ROUNDS; ) {
      const shape = anyShape(rng);
      if (shape === null) continue;
      done++;
      const options = { algorithm: anyAlgorithm(rng, shape), bias: rng.below(3) > 0 };
      const worst = difference(bed, rng, shape, rng.below(3) === 0 ? { ...options, clamp: [0, 6] } : options);
      expect(worst, JSON.stringify({ shape, options })).toBeLessThan(1e-4);
    }
  },
);
