import type { CompileRequest } from "@pt2/backend";
import { SUITE_PARTS, testBackend } from "@pt2/conformance";
import { afterAll, describe, it } from "vitest";
import { LibtorchBackend } from "./backend.ts";
import type { LibtorchExecutable } from "./executable.ts";
import { missingLibtorch, nativeModule } from "./libtorch.test-helper.ts";
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
    // Its kernels are PyTorch's own, which refuse what PyTorch refuses; `index-checks.test.ts` has what they do not check.
    parts: SUITE_PARTS.filter((part) => !["indices", "arguments", "errors"].includes(part)),
  });
} else it.skip(`libtorch, exact${missingLibtorch}`);
