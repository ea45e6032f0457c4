import { expect, it } from "vitest";
import { latest } from "./latest.ts";

it("leaves out what is out of date", async () => {
  const done: number[] = [];
  const waiting: (() => void)[] = [];
  const act = latest(async (input: number) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    done.push(input);
  });
  const next = async (): Promise<void> => {
    waiting.shift()?.();
    await new Promise((resolve) => setTimeout(resolve));
  };
  for (const input of [1, 2, 3, 4]) act(input);
  await next();
  await next();
  expect(done).toEqual([1, 4]);
  act(5);
  await next();
  expect(done).toEqual([1, 4, 5]);
});
