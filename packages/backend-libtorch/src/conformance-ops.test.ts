import { testBackend } from "@pt2/conformance";
import { afterAll, describe, it } from "vitest";
import { LibtorchBackend } from "./backend.ts";
import { SHARES } from "./conformance-parts.test-helper.ts";
import { DRAWN_ELSEWHERE, missingLibtorch, nativeModule } from "./libtorch.test-helper.ts";
import { twiceKernel } from "./twice-kernel.test-helper.ts";

if (missingLibtorch === "") {
  await testBackend("libtorch", () => new LibtorchBackend(nativeModule().addon), {
    runner: { describe, it, afterAll },
    kernel: twiceKernel,
    parts: SHARES.ops,
    skip: DRAWN_ELSEWHERE,
    // What precision `fast` promises.
    tolerance: { float32: { rtol: 1e-4, atol: 1e-5 } },
  });
} else it.skip(`libtorch${missingLibtorch}`);
