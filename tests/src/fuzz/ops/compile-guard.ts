import { execFile } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Libtorch } from "@pt2/backend-libtorch/node";

/** Compiles `guarded-allocator.cc` for a libtorch; resolves to the library's path. */
export async function compileGuard({ path, cxx11Abi }: Libtorch): Promise<string> {
  const library = join(await mkdtemp(join(tmpdir(), "pt2-guard-")), "guard.so");
  await promisify(execFile)(process.env.CXX ?? "c++", [
    ...["-shared", "-fPIC", "-O1", "-std=c++20", `-D_GLIBCXX_USE_CXX11_ABI=${cxx11Abi ? 1 : 0}`],
    ...[
      "-isystem",
      join(path, "include"),
      "-o",
      library,
      fileURLToPath(new URL("guarded-allocator.cc", import.meta.url)),
    ],
    ...[`-L${join(path, "lib")}`, "-lc10"],
  ]);
  return library;
}
