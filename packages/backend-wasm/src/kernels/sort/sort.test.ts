import { hostTensor, type TypedArray, viewAs } from "@pt2/backend";
import { bitsToFloat, DTYPES, type DType, isSmallFloat } from "@pt2/format";
import { describe, expect, test } from "vitest";
import { runBody } from "../../engine/programs.test-helper.ts";

const NAMES = {
  float32: "f32",
  float16: "f16",
  bfloat16: "bf16",
  float64: "f64",
  int64: "i64",
  int32: "i32",
  uint8: "u8",
} as const;
const [ROWS, COLUMNS] = [83, 7];

/** The bits of infinity. */
const INFINITY: Readonly<Partial<Record<DType, number>>> = { float32: 0x7f800000, float16: 0x7c00, bfloat16: 0x7f80 };

/** Bytes of elements of which many are equal, among floats NaN, infinities and both zeros. */
function drawn(dtype: DType): Uint8Array {
  const { itemsize } = DTYPES[dtype];
  const bytes = new Uint8Array(ROWS * COLUMNS * itemsize);
  const array = viewAs(dtype, bytes);
  const infinity = INFINITY[dtype];
  const words = viewAs(itemsize === 2 ? "uint16" : "uint32", bytes);
  const sign = 2 ** (8 * itemsize - 1);
  for (let i = 0; i < array.length; i++) {
    const place = (i * 2654435761) % 23;
    if (infinity !== undefined) {
      const odd = [infinity + 1, sign + infinity + 3, infinity, sign + infinity, 0, sign];
      words[i] = odd[place] ?? (place % 2) * sign + infinity - 9 * place;
    } else if (dtype === "int64") array[i] = place === 0 ? -(2n ** 63n) : 2n ** 60n + BigInt(place);
    else if (dtype === "float64") array[i] = [Number.NaN, Number.POSITIVE_INFINITY, 0, -0][place] ?? place - 11;
    else array[i] = place * 11 - (dtype === "int32" ? 99 : 0);
  }
  return bytes;
}

function compare(x: number | bigint, y: number | bigint): number {
  const missing = Number(Number.isNaN(x)) - Number(Number.isNaN(y));
  return missing || Number(x > y) - Number(x < y);
}

/** The elements as their dtype has them, and as numbers to compare. */
function elementsOf(dtype: DType, bytes: Uint8Array) {
  const array = [...(viewAs(dtype, bytes) as Iterable<number | bigint>)];
  return isSmallFloat(dtype) ? array.map((bits) => bitsToFloat(dtype, Number(bits))) : array;
}

describe.each(Object.entries(NAMES))("elements of %s", (dtype, name) => {
  const bytes = drawn(dtype as DType);
  const x = hostTensor(dtype as "float32", [ROWS, COLUMNS], viewAs(dtype as DType, bytes) as TypedArray as never);
  const elements = elementsOf(dtype as DType, bytes);

  /** The elements of each slice, in its order. */
  function sorted(dim: number, descending: boolean): readonly (readonly number[])[] {
    const [slices, size] = dim === 0 ? [COLUMNS, ROWS] : [ROWS, COLUMNS];
    const flat = (slice: number, i: number): number => (dim === 0 ? i * COLUMNS + slice : slice * COLUMNS + i);
    return Array.from({ length: slices }, (_, slice) =>
      Array.from({ length: size }, (_, i) => i).sort(
        (i, j) => (descending ? -1 : 1) * compare(elements[flat(slice, i)]!, elements[flat(slice, j)]!) || i - j,
      ),
    );
  }

  test.each([false, true])(
    "a stable sort with descending %s is in order along each dimension and in a transposed tensor",
    async (descending) => {
      const [results] = await runBody(
        `
  user_input %x: ${name}[${ROWS}, ${COLUMNS}]
  %a: ${name}[${ROWS}, ${COLUMNS}], %i: i64[${ROWS}, ${COLUMNS}] = aten::sort.stable(self=%x, stable=true, dim=0, descending=${descending})
  %b: ${name}[${ROWS}, ${COLUMNS}], %j: i64[${ROWS}, ${COLUMNS}] = aten::sort.stable(self=%x, stable=true, dim=1, descending=${descending})
  %t: ${name}[${COLUMNS}, ${ROWS}] = aten::permute(self=%x, dims=[1, 0])
  %c: ${name}[${COLUMNS}, ${ROWS}], %k: i64[${COLUMNS}, ${ROWS}] = aten::sort.stable(self=%t, stable=true, dim=1, descending=${descending})
  %d: ${name}[${ROWS}, ${COLUMNS}] = aten::gather(self=%x, dim=0, index=%i)
  return %i, %j, %k, %a, %d`,
        [[x]],
      );
      const [along0, along1, transposed, values, gathered] = results as readonly (readonly unknown[])[];
      const orders = sorted(0, descending);
      expect(along0!.map(Number)).toEqual(
        Array.from({ length: ROWS * COLUMNS }, (_, i) => orders[i % COLUMNS]![Math.floor(i / COLUMNS)]),
      );
      expect(along1!.map(Number)).toEqual(sorted(1, descending).flat());
      expect(transposed!.map(Number)).toEqual(orders.flat());
      expect(values).toEqual(gathered);
    },
  );

  test("the largest and the smallest ones are those of a sort", async () => {
    const [results] = await runBody(
      `
  user_input %x: ${name}[${ROWS}, ${COLUMNS}]
  %a: ${name}[9, ${COLUMNS}], %i: i64[9, ${COLUMNS}] = aten::topk(self=%x, k=9, dim=0)
  %b: ${name}[1, ${COLUMNS}], %j: i64[1, ${COLUMNS}] = aten::topk(self=%x, k=1, dim=0, largest=false)
  %n: ${name}[0, ${COLUMNS}], %m: i64[0, ${COLUMNS}] = aten::topk(self=%x, k=0, dim=0)
  %y: ${name}[${ROWS}, 1] = aten::slice.Tensor(self=%x, dim=1, start=2, end=3)
  %e: ${name}[${ROWS}, 40] = aten::expand(self=%y, size=[${ROWS}, 40])
  %c: ${name}[${ROWS}, 3], %k: i64[${ROWS}, 3] = aten::topk(self=%e, k=3, dim=1)
  return %i, %j, %m, %c`,
      [[x]],
    );
    const [largest, smallest, none, equal] = results as readonly (readonly unknown[])[];
    for (const [found, k, descending] of [
      [largest!, 9, true],
      [smallest!, 1, false],
    ] as const) {
      for (const [column, order] of sorted(0, descending).entries()) {
        const at = Array.from({ length: k }, (_, i) => Number(found[i * COLUMNS + column]));
        expect(new Set(at).size).toBe(k);
        for (const [i, row] of at.entries()) {
          expect(compare(elements[row * COLUMNS + column]!, elements[order[i]! * COLUMNS + column]!)).toBe(0);
        }
      }
    }
    expect(none).toEqual([]);
    expect(equal).toHaveLength(3 * ROWS);
  });
});

test("long runs of integers keep their order, as PyTorch's sort of so many does", async () => {
  const size = 40000;
  const values = Int32Array.from({ length: size }, (_, i) => ((i * 7919) % 101) - 50);
  const [results] = await runBody(
    `
  user_input %x: i32[${size}]
  %a: i32[${size}], %i: i64[${size}] = aten::sort.stable(self=%x, stable=false, dim=0, descending=false)
  return %a, %i`,
    [[hostTensor("int32", [size], values)]],
  );
  const [sorted, positions] = results as readonly [readonly number[], readonly bigint[]];
  const order = [...values.keys()].sort((i, j) => values[i]! - values[j]! || i - j);
  expect(positions.map(Number)).toEqual(order);
  expect(sorted).toEqual(order.map((i) => values[i]));
});

test.each(["f32", "f64"])(
  "the median of numbers of %s is the first of equal ones, and NaN is none of them",
  async (name) => {
    const [rows, columns] = [9, 50];
    const Floats = name === "f32" ? Float32Array : Float64Array;
    const drawn = Array.from({ length: rows * columns }, (_, i) => {
      const place = (i * 2654435761) % 19;
      const isMissing = i >= (rows - 1) * columns || place < 5;
      return isMissing ? Number.NaN : ([0, -0, Number.POSITIVE_INFINITY][place - 5] ?? place - 12);
    });
    const values = Floats.from(drawn);
    const dtype = name === "f32" ? "float32" : "float64";
    const [results] = await runBody(
      `
  user_input %x: ${name}[${rows}, ${columns}]
  %a: ${name}[${rows}], %i: i64[${rows}] = aten::nanmedian.dim(self=%x, dim=1)
  %t: ${name}[${columns}, ${rows}] = aten::permute(self=%x, dims=[1, 0])
  %b: ${name}[1, ${rows}], %j: i64[1, ${rows}] = aten::nanmedian.dim(self=%t, dim=0, keepdim=true)
  return %a, %i, %b, %j`,
      [[hostTensor(dtype as "float32", [rows, columns], values as Float32Array)]],
    );
    const [medians, positions, ofColumns, places] = results as readonly (readonly unknown[])[];
    for (let row = 0; row < rows - 1; row++) {
      const at = [...values.subarray(row * columns, (row + 1) * columns)];
      const order = [...at.keys()].filter((i) => !Number.isNaN(at[i])).sort((i, j) => at[i]! - at[j]! || i - j);
      const middle = order[(order.length - 1) >> 1]!;
      expect([medians![row], Number(positions![row])]).toEqual([at[middle], middle]);
    }
    // Of none that is a number some NaN is taken.
    expect(medians![rows - 1]).toBeNaN();
    expect([ofColumns, places]).toEqual([medians, positions]);
  },
);
