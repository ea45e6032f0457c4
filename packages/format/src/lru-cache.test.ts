import { expect, test } from "vitest";
import { LruCache } from "./lru-cache.ts";

test("the least recently used of too many values is dropped", () => {
  const dropped: string[] = [];
  const cache = new LruCache<string, string>(2, (value) => dropped.push(value));
  const made = (key: string): string => cache.get(key, () => key.toUpperCase());
  expect([made("a"), made("b"), made("a"), made("c")]).toEqual(["A", "B", "A", "C"]);
  expect(dropped).toEqual(["B"]);
  expect(cache.values).toEqual(["A", "C"]);
  expect([cache.has("a"), cache.has("b")]).toEqual([true, false]);
});

test("a value is made once, and again when its key was forgotten", () => {
  const dropped: number[] = [];
  const cache = new LruCache<string, number>(2, (value) => dropped.push(value));
  let made = 0;
  const get = (): number => cache.get("key", () => ++made);
  expect([get(), get()]).toEqual([1, 1]);
  cache.forget("key");
  expect(get()).toBe(2);
  expect(dropped).toEqual([]);
  cache.clear();
  expect(dropped).toEqual([2]);
});
