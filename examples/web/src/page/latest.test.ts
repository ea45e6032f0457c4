import { expect, it } from "vitest";
import { latest } from "./latest.ts";

/** Inputs that were acted on, one whenever `next` is called. */
function acting(fails: (input: number) => boolean = () => false) {
  const done: number[] = [];
  const problems: unknown[] = [];
  const waiting: (() => void)[] = [];
  const act = latest(
    async (input: number) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      if (fails(input)) throw new Error(`no ${input}`);
      done.push(input);
    },
    (problem) => problems.push(problem),
  );
  const next = async (): Promise<void> => {
    waiting.shift()?.();
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { act, next, done, problems };
}

it("latest skips outdated inputs", async () => {
  const { act, next, done } = acting();
  for (const input of [1, 2, 3, 4]) act(input);
  await next();
  await next();
  expect(done).toEqual([1, 4]);
  act(5);
  await next();
  expect(done).toEqual([1, 4, 5]);
});

it("latest continues after an error", async () => {
  const { act, next, done, problems } = acting((input) => input === 1);
  act(1);
  await next();
  expect(problems).toEqual([new Error("no 1")]);
  act(2);
  await next();
  expect(done).toEqual([2]);
});
