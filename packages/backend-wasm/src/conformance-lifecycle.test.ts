import { testBackend } from "@pt2/conformance";
import { afterAll, describe, it } from "vitest";
import { WasmBackend } from "./backend.ts";
import { wasm } from "./node.ts";

const runner = { describe, it, afterAll };

await testBackend("wasm", () => new WasmBackend(), { runner, parts: ["lifecycle"] });
await testBackend("wasm in a worker", () => wasm(), { runner, parts: ["lifecycle"] });
