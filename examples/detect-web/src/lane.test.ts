import { expect, it } from "vitest";
import { Lane } from "./lane.ts";

it("a lane ends what is under way, and tells only what went wrong with what was asked for last", async () => {
  const problems: unknown[] = [];
  const lane = new Lane((problem) => problems.push(problem));
  const ended: boolean[] = [];
  const wait = async (signal: AbortSignal): Promise<void> => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    ended.push(signal.aborted);
    throw new Error("too late");
  };
  const first = lane.do(wait);
  const second = lane.do(async () => {
    throw new Error("in time");
  });
  await Promise.all([first, second]);
  expect(ended).toEqual([true]);
  expect(problems).toEqual([new Error("in time")]);
});
