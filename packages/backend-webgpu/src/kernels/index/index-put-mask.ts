import { viewAs } from "@pt2/backend";
import { broadcastPositions, type HostData, isComplexDtype, selectElements } from "@pt2/engine";
import { bitsToFloat, contiguousStrides, type DType, floatToBits, isSmallFloat } from "@pt2/format";
import { type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";

/**
 * `index_put(self, indices, values, accumulate)` where some index is a mask and several values are given: which goes
 * where only the whole mask tells, so it is done on the host.
 */
export const indexPutMask: WebgpuKernel = webgpuKernel({
  ops: ["aten::index_put"],
  complex: true,
  prepare(call, args) {
    const out = call.output();
    const [self, values] = [call.tensor(args.self), call.tensor(args.values)];
    const indices = args.indices.map((index) => call.optional(index));
    const given = indices.flatMap((view) => (view === null ? [] : [view]));
    const { accumulate } = args;
    call.host({
      name: "aten::index_put",
      reads: [self, values, ...given],
      writes: [out],
      run([from, source, ...found]) {
        let at = 0;
        const masks = indices.map((view) => (view === null ? null : found[at++]!));
        const result: HostData = { ...from!, bytes: from!.bytes.slice() };
        const { shape, offsets } = selectElements(from!.shape, contiguousStrides(from!.shape), masks);
        const sources = broadcastPositions(source!.shape, shape);
        const [to, put] = [elements(result), elements(source!)];
        // Of a complex number both parts are written.
        const parts = isComplexDtype(result.dtype) ? 2 : 1;
        for (let i = 0; i < parts * offsets.length; i++) {
          const [element, part] = [Math.floor(i / parts), i % parts];
          const target = parts * offsets[element]! + part;
          const value = put.get(parts * sources[element]! + part);
          to.set(target, accumulate ? add(to.get(target), value) : value);
        }
        return [result];
      },
    });
  },
});

interface Elements {
  get(index: number): number | bigint;
  set(index: number, value: number | bigint): void;
}

function elements({ dtype, bytes }: { readonly dtype: DType; readonly bytes: Uint8Array }): Elements {
  const array = viewAs(dtype, bytes);
  if (!isSmallFloat(dtype)) {
    return {
      get: (index) => array[index]!,
      set(index, value) {
        // True and true are true.
        array[index] = dtype === "bool" ? Math.min(Number(value), 1) : value;
      },
    };
  }
  return {
    get: (index) => bitsToFloat(dtype, Number(array[index])),
    set(index, value) {
      array[index] = floatToBits(dtype, Number(value));
    },
  };
}

function add(a: number | bigint, b: number | bigint): number | bigint {
  return typeof a === "bigint" ? BigInt.asIntN(64, a + BigInt(b)) : a + Number(b);
}
