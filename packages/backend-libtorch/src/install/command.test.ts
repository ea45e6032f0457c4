import { expect, test } from "vitest";
import { runCommand } from "./command.ts";

const env = { PATH: process.env.PATH };

test("a command that cannot be started is one that failed", async () => {
  const nowhere = await runCommand("there-is-no-such-program", [], { env });
  expect(nowhere).toMatchObject({ code: 1, lines: [expect.stringContaining("ENOENT")] });
  // As Node refuses it under --permission: at once instead of by an event.
  const refused = await runCommand("a\0b", [], { env });
  expect(refused).toMatchObject({ code: 1, lines: [expect.stringContaining("null bytes")] });
});
