import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord, type Requirements } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { perDim } from "../support/dims.ts";
import { type Emit, emit } from "../support/emit.ts";

const PAIRS: Requirements = { lengths: { kernel_size: 2, dilation: 2, padding: 2, stride: 2 } };

/**
 * Defines `unfold`, which copies the windows of an image to columns (im2col), and `fold`, which sums them back
 * (col2im).
 */
export const COLUMN_OPS: readonly OpRecord[] = [
  defineOp("aten::im2col(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor", {
    requires: PAIRS,
    decompose: ({ self, ...window }, b) => {
      check(
        self.shape.length === 3 || self.shape.length === 4,
        () =>
          `Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but got: ${show(self.shape)}`,
      );
      const e = emit(b);
      const image = self.shape.length === 3 ? e.unsqueeze(self, 0) : self;
      const [batch, channels, height, width] = image.shape as readonly [number, number, number, number];
      const grid = windowGrid([height, width], window);
      const [ph, pw] = grid.padding;
      const padded =
        ph + pw === 0 ? image : b.tensor("aten::constant_pad_nd", { self: image, pad: [pw, pw, ph, ph], value: 0 });
      const cells = b.tensor("aten::index.Tensor", { self: padded, indices: [null, null, ...cellIndices(e, grid)] });
      // The dimensions are batch, channel, kernel row, output row, kernel column, output column.
      const columns = e.reshape(e.permute(cells, [0, 1, 2, 4, 3, 5]), [batch, channels * grid.cells, grid.places]);
      return self.shape.length === 3 ? e.squeeze(columns, 0) : columns;
    },
  }),
  defineOp(
    "aten::col2im(Tensor self, SymInt[2] output_size, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor",
    {
      requires: PAIRS,
      decompose: ({ self, output_size, ...window }, b) => {
        check(
          self.shape.length === 2 || self.shape.length === 3,
          () => `Expected 2D or 3D (batch mode) tensor for input, but got ${show(self.shape)}`,
        );
        const e = emit(b);
        const columns = self.shape.length === 2 ? e.unsqueeze(self, 0) : self;
        const [batch, rows, places] = columns.shape as readonly [number, number, number];
        const [height, width] = perDim(output_size, 2, "output_size") as readonly [number, number];
        const grid = windowGrid([height, width], window);
        check(
          rows % grid.cells === 0,
          () =>
            `Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got input.size(1)=${rows}`,
        );
        check(
          places === grid.places,
          () =>
            `Given output_size=${show(output_size)}, expected size of input's dimension 2 to match the calculated number of sliding blocks ${grid.places}, but got ${places}`,
        );
        const channels = rows / grid.cells;
        const [kh, kw] = grid.kernel;
        const [oh, ow] = grid.output;
        const [ph, pw] = grid.padding;
        const values = e.permute(e.reshape(columns, [batch, channels, kh, kw, oh, ow]), [0, 1, 2, 4, 3, 5]);
        const canvas = e.full([batch, channels, height + 2 * ph, width + 2 * pw], 0, self.dtype);
        const summed = scatterCells(b, canvas, cellIndices(e, grid), values);
        const image = e.slice(e.slice(summed, 2, ph, ph + height), 3, pw, pw + width);
        return self.shape.length === 2 ? e.squeeze(image, 0) : image;
      },
    },
  ),
];

type Pair = readonly [number, number];

interface Grid {
  readonly kernel: Pair;
  readonly stride: Pair;
  readonly dilation: Pair;
  readonly padding: Pair;
  /** The number of windows in each direction. */
  readonly output: Pair;
  /** The number of elements of one window. */
  readonly cells: number;
  /** The number of windows. */
  readonly places: number;
}

type Window = Readonly<Record<"kernel_size" | "dilation" | "padding" | "stride", readonly number[]>>;

function windowGrid(size: Pair, window: Window): Grid {
  const [kernel, stride, dilation, padding] = (["kernel_size", "stride", "dilation", "padding"] as const).map(
    (name) => perDim(window[name], 2, name) as Pair,
  ) as [Pair, Pair, Pair, Pair];
  check(
    [...kernel, ...stride, ...dilation].every((n) => n > 0),
    "kernel_size, stride and dilation should be greater than zero",
  );
  check(
    padding.every((n) => n >= 0),
    () => `padding should be non-negative, but got ${show(padding)}`,
  );
  const count = (d: 0 | 1): number =>
    Math.floor((size[d] + 2 * padding[d] - dilation[d] * (kernel[d] - 1) - 1) / stride[d]) + 1;
  const output: Pair = [count(0), count(1)];
  check(
    output[0] > 0 && output[1] > 0,
    () => `the shape of the array of sliding blocks is ${show(output)}, but its components must be at least one`,
  );
  return { kernel, stride, dilation, padding, output, cells: kernel[0] * kernel[1], places: output[0] * output[1] };
}

/** Returns the positions in the padded image: rows as [kernel, output, 1, 1], columns as [kernel, output]. */
function cellIndices(e: Emit, grid: Grid): readonly [TensorMeta, TensorMeta] {
  const along = (d: 0 | 1): TensorMeta => {
    const offsets = e.mul(e.arange(grid.kernel[d], "int64"), grid.dilation[d]);
    return e.add(e.unsqueeze(offsets, 1), e.mul(e.arange(grid.output[d], "int64"), grid.stride[d]));
  };
  return [e.reshape(along(0), [grid.kernel[0], grid.output[0], 1, 1]), along(1)];
}

function scatterCells(b: Builder, canvas: TensorMeta, indices: readonly TensorMeta[], values: TensorMeta): TensorMeta {
  return b.tensor("aten::index_put", { self: canvas, indices: [null, null, ...indices], values, accumulate: true });
}
