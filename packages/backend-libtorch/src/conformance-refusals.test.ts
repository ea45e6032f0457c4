import type { CompileRequest } from "@pt2/backend";
import { testBackend } from "@pt2/conformance";
import { afterAll, describe, it } from "vitest";
import { LibtorchBackend } from "./backend.ts";
import { SHARES } from "./conformance-parts.test-helper.ts";
import type { LibtorchExecutable } from "./executable.ts";
import { missingLibtorch, nativeModule } from "./libtorch.test-helper.ts";

/** Compiles everything with one precision. */
class PreciseLibtorch extends LibtorchBackend {
  readonly #precision: "exact" | "fast";

  constructor(precision: "exact" | "fast") {
    super(nativeModule().addon);
    this.#precision = precision;
  }

  override compile(request: CompileRequest): Promise<LibtorchExecutable> {
    return super.compile({ ...request, precision: this.#precision });
  }
}

if (missingLibtorch === "") {
  for (const precision of ["exact", "fast"] as const) {
    await testBackend(`libtorch, ${precision}`, () => new PreciseLibtorch(precision), {
      runner: { describe, it, afterAll },
      parts: SHARES.refusals,
    });
  }
} else it.skip(`libtorch${missingLibtorch}`);
