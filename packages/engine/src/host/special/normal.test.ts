import { expect, it } from "vitest";
import { ndtri } from "./normal.ts";

const { POSITIVE_INFINITY: infinity, NaN: none } = Number;

it("the inverse of the normal distribution is PyTorch's", () => {
  const given = [
    -infinity,
    -37.0470962993612,
    -7.941345326170998,
    -4.264890793922825,
    -1.2815515655446004,
    -0.8416212335729142,
    0,
    0.5244005127080407,
    1.2815515655446004,
    3.090232306167813,
    infinity,
    none,
  ];
  for (const [i, p] of [0, 1e-300, 1e-15, 1e-5, 0.1, 0.2, 0.5, 0.7, 0.9, 0.999, 1, 1.5].entries()) {
    if (Number.isFinite(given[i]))
      expect(Math.abs(ndtri(p) - given[i]!)).toBeLessThanOrEqual(2e-15 * Math.abs(given[i]!));
    else expect(ndtri(p)).toBe(given[i]);
  }
  expect([ndtri(-0.1), ndtri(none)]).toEqual([none, none]);
});
