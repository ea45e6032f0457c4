import test from "node:test";
import { answer } from "./answer.mjs";

test("a model in a test", async (context) => context.diagnostic(await answer()));
