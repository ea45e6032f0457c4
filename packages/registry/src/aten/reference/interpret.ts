import type { Call } from "../../lower/call.ts";
import { Emitter } from "../../lower/emit.ts";
import type { OpRegistry } from "../../op-registry.ts";
import { convert } from "../../scalar/convert.ts";
import { evaluate } from "../../scalar/evaluate.ts";
import type { ScalarValue } from "../../scalar/typed.ts";
import type { Strided, TensorMeta } from "../../tensor-meta.ts";
import { contiguous } from "../../view.ts";
import { KERNELS, maxPool, offsets, POOLING, type ReferenceData } from "./kernels.ts";

/**
 * Returns an emitter that decomposes every op which the reference interpreter has no kernel for. Its calls are run by
 * {@link runReference}.
 */
export function referenceEmitter(registry: OpRegistry): Emitter {
  return new Emitter(registry, {
    name: "reference",
    isNative: (name) => name === POOLING || Object.hasOwn(KERNELS, name),
  });
}

/**
 * Runs one call on lists of numbers, as slowly and plainly as the definitions say: elementwise calls and views from
 * their records alone, the few other ops by kernels of a line each. `data` has the elements of the operands, and gets
 * those of the results.
 */
export function runReference(call: Call, data: ReferenceData): void {
  const results = call.results.flat() as readonly TensorMeta[];
  if (call.scalar !== undefined) {
    const { expr, operands, shape } = call.scalar;
    const values = operands.map((operand) =>
      offsets(broadcast(operand.shape, shape)).map((at) => data.get(operand)![at]!),
    );
    data.set(
      results[0]!,
      offsets(contiguous(shape)).map((_, i) =>
        evaluate(
          expr,
          values.map((v) => v[i]!),
        ),
      ),
    );
  } else if (call.kind === "view") {
    const self = call.args[call.record.schema.args[0]!.name] as TensorMeta;
    const geometry = [call.record.view!(contiguous(self.shape), call.args)!].flat() as readonly Strided[];
    for (const [i, view] of geometry.entries()) {
      data.set(
        results[i]!,
        offsets(view).map((at) => data.get(self)![at]!),
      );
    }
  } else if (call.record.name === POOLING) {
    const [values, places] = maxPool(call.args, results[0]!, data);
    data.set(results[0]!, rounded(values!, results[0]!));
    data.set(results[1]!, rounded(places!, results[1]!));
  } else {
    const [result] = results;
    data.set(result!, rounded(KERNELS[call.record.name]!(call.args, result!, data), result!));
  }
}

function rounded(values: readonly ScalarValue[], { dtype }: TensorMeta): readonly ScalarValue[] {
  return values.map((value) => convert(dtype, value));
}

/** How a row-major tensor is read where it is broadcast to `shape`. */
function broadcast(own: readonly number[], shape: readonly number[]): Strided {
  const { strides } = contiguous(own);
  const missing = shape.length - own.length;
  const along = (d: number): number => (d < missing || own[d - missing] === 1 ? 0 : strides[d - missing]!);
  return { shape, strides: shape.map((_, d) => along(d)), offset: 0 };
}
