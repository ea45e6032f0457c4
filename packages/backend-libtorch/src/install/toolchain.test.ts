import { join } from "node:path";
import { expect, it } from "vitest";
import { fakeCommand } from "./fakes.test-helper.ts";
import { findToolchain, nodeHeaders } from "./toolchain.ts";

it("finds tools on the PATH, and takes CXX and PT2_BUILD_JOBS", async () => {
  const PATH = await fakeCommand(
    "ninja",
    "",
    await fakeCommand("cmake", "", await fakeCommand("g++", "echo 'g++ 12'")),
  );
  expect(await findToolchain({ PATH, PT2_BUILD_JOBS: "3" })).toEqual({
    compiler: join(PATH, "g++"),
    compilerVersion: "g++ 12",
    cmake: join(PATH, "cmake"),
    ninja: join(PATH, "ninja"),
    jobs: 3,
  });
  const mine = join(await fakeCommand("my++", "echo mine"), "my++");
  const chosen = await findToolchain({ PATH, CXX: mine });
  expect(chosen).toMatchObject({ compiler: mine, compilerVersion: "mine" });
  expect(chosen.jobs).toBeGreaterThanOrEqual(1);
});

it("brings the headers of Node-API", () => {
  expect(nodeHeaders()).toEqual([expect.stringMatching(/node-api-headers/), expect.stringMatching(/node-addon-api/)]);
});
