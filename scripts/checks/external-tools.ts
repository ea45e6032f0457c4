import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { CACHE_FOLDER } from "../cache-folder.ts";
import { findPython } from "../python.ts";
import { ask, run } from "../run.ts";
import { filesIn } from "../workspace.ts";
import type { Check, Problem } from "./problem.ts";

const NATIVE = "packages/backend-libtorch/native";

/** A tool that pip installs, beside the Python with torch or on the PATH; undefined where there is none. */
function findTool(name: string): string | undefined {
  const python = findPython();
  const beside = python === undefined ? undefined : join(dirname(python), name);
  return [beside, name].find((command) => command !== undefined && ask(command, "--version") !== undefined);
}

/** Runs a tool where it is installed, and says where it is not. */
async function withTool(
  name: string,
  report: (line: string) => void,
  use: (tool: string) => Promise<readonly Problem[]>,
): Promise<readonly Problem[]> {
  const tool = findTool(name);
  if (tool !== undefined) return await use(tool);
  report(`skipped: there is no ${name} (\`pip install ${name}\`)`);
  return [];
}

/** One problem with all that a tool says, where it fails. */
async function complaints(tool: string, args: readonly string[], where: string, advice: string): Promise<Problem[]> {
  const { code, output } = await run(tool, args);
  return code === 0 ? [] : [{ where, what: output.trimEnd(), advice }];
}

/** Lint rules and the format of Python. */
export const python: Check = {
  name: "python",
  run: (report) =>
    withTool("ruff", report, async (ruff) => [
      ...(await complaints(ruff, ["check", "--quiet", "."], "ruff", "run `ruff check --fix`; change the rest by hand")),
      ...(await complaints(ruff, ["format", "--check", "--quiet", "."], "ruff format", "run `ruff format`")),
    ]),
};

/** How C++ is formatted. */
export const cppFormat: Check = {
  name: "c++ format",
  run: (report) =>
    withTool("clang-format", report, (format) => {
      const files = filesIn("", ".cc", ".cu", ".h", ".inc");
      report(`${files.length} files`);
      return complaints(
        format,
        ["--dry-run", "-Werror", ...files],
        "clang-format",
        "run `clang-format -i` on the files",
      );
    }),
};

/** Mistakes that clang-tidy finds in the native module. Takes minutes: each file reads the headers of libtorch. */
export const cppLint: Check = {
  name: "c++ lint",
  run: (report) =>
    withTool("clang-tidy", report, async (tidy) => {
      const torch = torchFolder();
      if (torch === undefined || ask("cmake", "--version") === undefined) {
        report("skipped: it needs CMake and a Python with torch (`pnpm setup`)");
        return [];
      }
      const build = join(CACHE_FOLDER, "clang-tidy");
      const configured = await run("cmake", ["-S", NATIVE, "-B", build, `-DPT2_LIBTORCH=${torch}`]);
      if (configured.code !== 0) {
        return [{ where: NATIVE, what: configured.output.trimEnd(), advice: "see what CMake lacks" }];
      }
      const sources = translationUnits(build);
      report(`${sources.length} translation units`);
      const advice = "fix what it finds, or say in .clang-tidy why a check does not fit";
      // The joined sources are in the build folder, from where clang-tidy does not find the configuration by itself.
      const args = ["--quiet", `--config-file=${NATIVE}/.clang-tidy`, ...openMpHeader(), "-p", build];
      const found: Problem[] = [];
      const rest = sources.values();
      const work = async (): Promise<void> => {
        for (const source of rest) found.push(...(await complaints(tidy, [...args, source], source, advice)));
      };
      await Promise.all(Array.from({ length: availableParallelism() }, work));
      return found;
    }),
};

/** Lets clang-tidy, which pip installs without one, use the `omp.h` of the compiler that builds the native module. */
function openMpHeader(): readonly string[] {
  const folder = ask(process.env.CXX ?? "c++", "-print-file-name=include");
  return folder === undefined ? [] : [`--extra-arg=-idirafter${folder}`];
}

/** What CMake compiles: it joins the files of a folder, so that the headers of libtorch are read once for each. */
function translationUnits(build: string): readonly string[] {
  const commands: unknown = JSON.parse(readFileSync(join(build, "compile_commands.json"), "utf8"));
  return (commands as readonly { readonly file: string }[]).map(({ file }) => file);
}

/** The libtorch inside the Python package torch. */
function torchFolder(): string | undefined {
  const python = findPython();
  if (python === undefined) return undefined;
  return ask(python, "-c", "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])");
}
