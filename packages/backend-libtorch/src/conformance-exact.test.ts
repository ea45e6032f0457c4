import type { CompileRequest } from "@pt2/backend";
import { testBackend } from "@pt2/conformance";
import { afterAll, describe, it } from "vitest";
import { LibtorchBackend } from "./backend.ts";
import { SHARES } from "./conformance-parts.test-helper.ts";
import type { LibtorchExecutable } from "./executable.ts";
import { DRAWN_ELSEWHERE, missingLibtorch, nativeModule } from "./libtorch.test-helper.ts";
import { twiceKernel } from "./twice-kernel.test-helper.ts";

/** Compiles everything with precision `exact`. */
class ExactLibtorch extends LibtorchBackend {
  override compile(request: CompileRequest): Promise<LibtorchExecutable> {
    return super.compile({ ...request, precision: "exact" });
  }
}

if (missingLibtorch === "") {
  await testBackend("libtorch, exact", () => new ExactLibtorch(nativeModule().addon), {
    runner: { describe, it, afterAll },
    kernel: twiceKernel,
    parts: SHARES.exact,
    skip: DRAWN_ELSEWHERE,
  });
} else it.skip(`libtorch, exact${missingLibtorch}`);
