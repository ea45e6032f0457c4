import { numel, viewAs } from "@pt2/backend";
import { bitsToFloat, DTYPES, type DType, isSmallFloat } from "@pt2/format";
import { evaluate, type ScalarValue, type TypedExpr } from "@pt2/registry/scalar";
import type { Context } from "./context.ts";
import { elementBytes, forEachOffset } from "./elements.ts";
import type { Heap } from "./heap.ts";
import { addressOf, type Place } from "./place.ts";
import type { Services } from "./services.ts";
import { planCopy } from "./strided-copy.ts";

/** The elementwise half of the services. */
export function createElementwise(heap: Heap): Pick<Services, "elementwise" | "copy" | "compiled"> {
  const elementwise = (ctx: Context, out: Place, inputs: readonly Place[], expr: TypedExpr): void => {
    ctx.step(() => {
      const offsets = [out, ...inputs].map((place) => {
        const strides = out.shape.map((_, d) => {
          const at = d - (out.shape.length - place.shape.length);
          return at < 0 || place.shape[at] === 1 ? 0 : place.strides[at]!;
        });
        const list: number[] = [];
        forEachOffset({ shape: out.shape, strides }, (offset) => list.push(offset));
        return list;
      });
      for (let i = 0; i < numel(out.shape); i++) {
        const values = inputs.map((place, k) =>
          readOne(heap, place.dtype, addressOf(place) + offsets[k + 1]![i]! * DTYPES[place.dtype].itemsize),
        );
        const value = evaluate(expr, values);
        heap.u8.set(
          elementBytes(out.dtype, typeof value === "boolean" ? Number(value) : value),
          addressOf(out) + offsets[0]![i]! * DTYPES[out.dtype].itemsize,
        );
      }
    });
  };
  return {
    elementwise,
    copy: planCopy,
    compiled: () => Promise.resolve(),
  };
}

function readOne(heap: Heap, dtype: DType, address: number): ScalarValue {
  const value = viewAs(dtype, heap.u8.slice(address, address + DTYPES[dtype].itemsize))[0]!;
  if (isSmallFloat(dtype)) return bitsToFloat(dtype, Number(value));
  return dtype === "bool" ? value !== 0 : value;
}
