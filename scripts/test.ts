// Builds, sets up what this machine can have, and runs every test: `pnpm test [FILE…]`.
//
// A test that lacks something is skipped and says what. With PT2_REQUIRE_ALL=1 a skip for something that could have been
// installed is a failure: its title says "(skipped: WHAT)". Tests that lack hardware skip themselves, with a note. The
// last line is `N passed, N failed, N skipped`.
import { styleText } from "node:util";
import { startVitest, type TestCase } from "vitest/node";
import { localTool, run } from "./run.ts";
import { setUpLibtorch } from "./set-up-libtorch.ts";
import { setUpPython } from "./set-up-python.ts";
import { setUpVulkan } from "./set-up-vulkan.ts";

/** Why a test did not run: the note of `context.skip(note)`, or what its name says. */
function reasonOf(test: TestCase): string {
  const result = test.result();
  const note = result.state === "skipped" ? result.note : undefined;
  return note ?? MISSING.exec(test.fullName)?.[1] ?? "no reason given";
}

/** What a test is called that needs something this machine could have; other skips are hardware or declared gaps. */
const MISSING = /\bskipped: ([^)]*)/;

const requireAll = process.env.PT2_REQUIRE_ALL === "1";
// One computes while the other downloads.
const [build, python] = await Promise.all([
  run(localTool("turbo"), ["run", "build", "--output-logs=errors-only"], { show: true }),
  setUpPython(console.log),
]);
if (build.code !== 0) {
  console.error("The build failed, so nothing was tested.");
  console.log("0 passed, 1 failed, 0 skipped");
  process.exit(1);
}
if ("python" in python) process.env.PT2_PYTHON = python.python;
else console.log(`PyTorch: skipped: ${python.missing}`);
// Before the tests, which would otherwise wait for the compiler; one that fails fails in every test that needs it.
const native = await setUpLibtorch(console.log);
if ("missing" in native) console.log(`libtorch: skipped: ${native.missing}`);
if ("failed" in native) console.log(native.failed);
const vulkan = await setUpVulkan();
if ("missing" in vulkan) console.log(`WebGPU in Node: skipped: ${vulkan.missing}`);

const vitest = await startVitest("test", process.argv.slice(2), { watch: false });
const modules = vitest.state.getTestModules();
const tests = modules.flatMap((module) => [...module.children.allTests()]);
const count = (state: string): number => tests.filter((test) => test.result().state === state).length;
// A file that cannot be loaded has no tests to fail, and an error outside a test has no test to blame.
const broken = modules.filter((module) => module.errors().length > 0).length + vitest.state.getUnhandledErrors().length;
await vitest.close();

const skipped = tests.filter((test) => test.result().state === "skipped");
for (const test of skipped) {
  const name = `${test.module.relativeModuleId}: ${test.fullName}`;
  console.log(`${styleText("yellow", "skipped")} ${name}\n        ${reasonOf(test)}`);
}
// Again at the end, where a long log is read.
for (const test of tests) {
  const { state, errors } = test.result();
  if (state !== "failed") continue;
  console.log(`${styleText("red", "failed")} ${test.module.relativeModuleId}: ${test.fullName}`);
  for (const { message } of errors ?? []) console.log(`        ${message.split("\n", 1)[0]}`);
}
for (const module of modules) {
  for (const { message } of module.errors()) {
    console.log(`${styleText("red", "failed")} ${module.relativeModuleId}\n        ${message.split("\n", 1)[0]}`);
  }
}
for (const error of vitest.state.getUnhandledErrors()) {
  console.log(`${styleText("red", "failed")} outside a test\n        ${String(error).split("\n", 1)[0]}`);
}
const refused = requireAll ? skipped.filter((test) => MISSING.test(test.fullName)).length : 0;
if (refused > 0)
  console.log(styleText("red", `PT2_REQUIRE_ALL=1: ${refused} tests lack something, each is a failure.`));
const failed = count("failed") + broken + refused;
console.log(`${count("passed")} passed, ${failed} failed, ${skipped.length - refused} skipped`);
process.exit(failed > 0 || tests.length === 0 ? 1 : 0);
