import { expect, it } from "vitest";
import { libtorch } from "./libtorch.ts";

it.each<[string, unknown, string, string?]>([
  ["a misspelled option", { thread: 1 }, "{ thread: 1 }", "threads"],
  ["no thread", { threads: 0 }, "{ threads: 0 }"],
  ["half a run at a time", { concurrency: 0.5 }, "{ concurrency: 0.5 }"],
  ["a dtype of weights that it does not have", { weights: "float16" }, '{ weights: "float16" }'],
  ["null", null, "null"],
])("libtorch() rejects %s", async (_, options, given, meant) => {
  await expect(libtorch(options as object)).rejects.toMatchObject({
    code: "backend.options",
    what: `libtorch() does not take \`${given}\`${meant === undefined ? "" : `; did you mean \`${meant}\`?`}`,
  });
});
