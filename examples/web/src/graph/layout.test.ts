import { expect, it, vi } from "vitest";
import type { GraphBox, Picture } from "./boxes.ts";
import { BOX_HEIGHT, layout } from "./layout.ts";
import { settle } from "./settle.ts";

vi.mock("./settle.ts", async (original) => {
  const real = await original<typeof import("./settle.ts")>();
  return { settle: vi.fn(real.settle) };
});

function picture(arrows: readonly string[]): Picture {
  const pairs = arrows.map((arrow) => arrow.split(">"));
  const ids = [...new Set(pairs.flat())].sort();
  const boxes = ids.map((id): GraphBox => ({ id, title: id, detail: "", family: "other", nodes: [], group: null }));
  return { boxes, arrows: pairs.map(([from, to]) => ({ from: from!, to: to! })) };
}

const place = (arrows: readonly string[]) => layout(picture(arrows), () => 60);

it("the layout of a chain is a straight line", () => {
  const { boxes } = place(["a>b", "b>c", "c>d"]);
  expect(new Set([...boxes.values()].map(({ x }) => x)).size).toBe(1);
  expect([...boxes.values()].map(({ row }) => row)).toEqual([0, 1, 2, 3]);
});

it("an arrow that skips rows goes around the boxes between", () => {
  const { boxes, routes } = place(["a>b", "b>c", "c>d", "a>d"]);
  const around = routes.find(({ from, to }) => from === "a" && to === "d")!;
  expect(around.points).toHaveLength(4);
  for (const { x, y } of around.points.slice(1, -1)) {
    const inside = [...boxes.values()].filter(
      (box) => Math.abs(box.x - x) < 30 && Math.abs(box.y - y) < BOX_HEIGHT / 2,
    );
    expect(inside).toEqual([]);
  }
});

it("boxes never overlap, and stay inside the drawing", () => {
  const arrows = Array.from({ length: 12 }, (_, i) => [`a>m${i}`, `m${i}>z`]).flat();
  const { boxes, width } = place(arrows);
  const row = [...boxes.values()].filter((box) => box.row === 1).sort((a, b) => a.x - b.x);
  expect(row).toHaveLength(12);
  row.slice(1).forEach(({ x }, i) => {
    expect(x - row[i]!.x).toBeGreaterThanOrEqual(60);
  });
  expect(row[0]!.x - 30).toBeGreaterThanOrEqual(0);
  expect(row.at(-1)!.x + 30).toBeLessThanOrEqual(width);
});

it("the layout visits each position equally often in large and in small drawings", () => {
  const work = (nodes: number): number => {
    const chain = Array.from({ length: nodes }, (_, i) => `n${1000 + i}>n${1001 + i}`);
    const skips = Array.from({ length: nodes / 10 }, (_, i) => `n${1000 + 10 * i}>n${1007 + 10 * i}`);
    vi.mocked(settle).mockClear();
    expect(place([...chain, ...skips]).boxes.size).toBe(nodes + 1);
    return vi.mocked(settle).mock.calls.reduce((sum, [wishes]) => sum + wishes.length, 0);
  };
  expect(work(1000)).toBeLessThanOrEqual(2 * work(500));
});

it("a row is placed at its preferred positions, except for the gaps", () => {
  const wish = (at: number, weight = 1) => ({ at, weight, width: 10 });
  expect(settle([wish(0), wish(100)], 5)).toEqual([0, 100]);
  expect(settle([wish(50), wish(50)], 5)).toEqual([42.5, 57.5]);
  const [heavy, light] = settle([wish(50, 1), wish(50, 0.01)], 5);
  expect(heavy).toBeCloseTo(50, 0);
  expect(light! - heavy!).toBeCloseTo(15);
});
