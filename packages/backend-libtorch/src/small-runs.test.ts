import { expect, it } from "vitest";
import { SmallRuns } from "./small-runs.ts";
import { TurnBudget } from "./turn-budget.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it("three runs in a row below the limit make the next ones small, and three above it make them large again", () => {
  const runs = new SmallRuns(0.1, new TurnBudget());
  const states = [0.05, 0.05, 0.2, 0.05, 0.05, 0.05, 9, 9, 0.01, 9, 9, 9].map((ms) => {
    runs.learn(ms);
    return runs.isSmall ? "small" : "large";
  });
  expect(states).toEqual([...Array(5).fill("large"), ...Array(6).fill("small"), "large"]);
});

it("with a limit of 0 no run is small", () => {
  const runs = new SmallRuns(0, new TurnBudget());
  for (let i = 0; i < 5; i++) runs.learn(0.001);
  expect(runs.isSmall).toBe(false);
});

it("small runs leave the turn to others when they have taken their part of it, and get the next one", async () => {
  const budget = new TurnBudget();
  const [one, other] = [new SmallRuns(1, budget), new SmallRuns(1, budget)];
  for (let i = 0; i < 3; i++) for (const runs of [one, other]) runs.learn(0.5);
  budget.spend(3.9);
  expect([one.place, other.place]).toEqual(["now", "now"]);
  budget.spend(0.2);
  expect([one.place, other.place]).toEqual(["next turn", "next turn"]);
  const next = budget.nextTurn();
  expect([one.place, other.place]).toEqual(["pool", "pool"]);
  await next;
  await turn();
  expect([one.place, other.place]).toEqual(["now", "now"]);
});
