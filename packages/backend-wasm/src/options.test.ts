import { expect, it } from "vitest";
import { wasm as wasmInPage } from "./index.ts";
import { wasm } from "./node.ts";

it.each<[string, unknown, string]>([
  ["a misspelled option", { threds: 2 }, "backend.options"],
  ["a worker that is a text", { worker: "no" }, "backend.options"],
  ["a count that is a text", { threads: "2" }, "backend.options"],
  ["null", null, "backend.options"],
  ["no thread", { threads: 0 }, "wasm.threads"],
  ["half a thread", { threads: 1.5 }, "wasm.threads"],
])("wasm() rejects %s", (_, options, code) => {
  for (const make of [wasm, wasmInPage]) {
    expect(() => make(options as object)).toThrow(expect.objectContaining({ name: "Pt2Error", code }));
  }
});
