import type { CompileRequest } from "@pt2/backend";
import { testBackend } from "@pt2/conformance";
import { afterAll, describe, it } from "vitest";
import { LibtorchBackend } from "./backend.ts";
import { SHARES } from "./conformance-parts.test-helper.ts";
import { hasGpu, skipWithoutGpu } from "./cuda.test-helper.ts";
import { NOT_ON_CUDA } from "./cuda-exceptions.test-helper.ts";
import type { LibtorchExecutable } from "./executable.ts";
import { nativeModule } from "./libtorch.test-helper.ts";
import { twiceKernel } from "./twice-kernel.test-helper.ts";

/** Compiles everything for the GPU, with one precision. */
class CudaLibtorch extends LibtorchBackend {
  readonly #precision: "exact" | "fast";

  constructor(precision: "exact" | "fast", cudaKernels: boolean) {
    // PyTorch's own switch: with TF32 convolutions have three digits.
    super(nativeModule().addon, { device: "cuda", flags: { cudnnTf32: false }, cudaKernels });
    this.#precision = precision;
  }

  override compile(request: CompileRequest): Promise<LibtorchExecutable> {
    return super.compile({ ...request, precision: this.#precision });
  }
}

if (hasGpu) {
  for (const [name, precision, cudaKernels] of [
    ["exact", "exact", true],
    ["fast", "fast", true],
    ["fast, kernels of libtorch alone", "fast", false],
  ] as const) {
    await testBackend(`libtorch on CUDA, ${name}`, () => new CudaLibtorch(precision, cudaKernels), {
      runner: { describe, it, afterAll },
      kernel: twiceKernel,
      parts: SHARES.cuda,
      skip: NOT_ON_CUDA,
      // A GPU rounds numbers of two bytes once where a CPU rounds twice; float32: what precision `fast` promises.
      tolerance: {
        float16: { rtol: 2e-3, atol: 1e-3 },
        bfloat16: { rtol: 1.6e-2, atol: 1e-2 },
        ...(precision === "fast" && { float32: { rtol: 1e-4, atol: 1e-5 } }),
      },
    });
  }
} else skipWithoutGpu("libtorch on CUDA");
