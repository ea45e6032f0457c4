import type { Tensor } from "@pt2/backend";
import type { Layout, MemoryFormat } from "@pt2/graph";
import type { Complex, FloatScalar } from "@pt2/registry";

/** A tensor of any dtype, of eager calls, models or `tensor()`. */
export type TensorArgument = Tensor;

/**
 * A number. An integer is a Python int, any other number a Python float: `2` keeps an int64 tensor as it is, `0.5` and
 * `{ float: 2 }` make it float32.
 */
export type NumberArgument = number | bigint | boolean | FloatScalar | Complex;

/** A Python int. */
export type IntArgument = number | bigint;

/** A Python float, or an int in its place. */
export type FloatArgument = number | bigint | boolean | FloatScalar;

/** The name of a layout, as in `torch.strided`. */
export type LayoutName = Layout;

/** The name of a memory format, as in `torch.channels_last`. */
export type MemoryFormatName = MemoryFormat;
