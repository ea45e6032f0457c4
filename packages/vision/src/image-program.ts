import type { Arg, Program, ValueType } from "@pt2/graph";
import { ProgramWriter, type TensorKind } from "@pt2/graph/passes";

/** What a program does with a picture, in this order. Pictures and results of all sizes have the same program. */
export interface ImageSteps {
  /** The channels of raw pixels, uint8 [height, width, channels]; null: a float32 picture [n, c, height, width]. */
  readonly channels: 1 | 3 | 4 | null;
  /** The op that resizes; null: none. */
  readonly resize: ResizeOp | null;
  /** Whether a resized picture is of bytes, which stay between 0 and 255: the values between 0 and 1. */
  readonly bytes: boolean;
  /** Whether it is put into an area of another size, which crops it, or pads it with a number. */
  readonly put: boolean;
  readonly normalize: boolean;
}

/** An op of PyTorch that resizes. */
export type ResizeOp =
  | "aten::upsample_bilinear2d"
  | "aten::_upsample_bilinear2d_aa"
  | "aten::upsample_bicubic2d"
  | "aten::_upsample_bicubic2d_aa";

/** Returns whether what an op makes of bytes may lie outside of them. */
export function overshoots(op: ResizeOp, bytes: boolean): boolean {
  return bytes && op.includes("bicubic");
}

/** Returns what tells apart the programs of steps. */
export function keyOf({ channels, resize, bytes, put, normalize }: ImageSteps): string {
  return [channels, resize, bytes, put, normalize].join(" ");
}

/**
 * Writes the program of steps, whose inputs are: `image`; of a resize `height` and `width`, and `rows` (the height before) of a
 * bicubic one of bytes; of a put `left`, `right`, `top`, `bottom` (pixels to add, below 0 to cut off) and `fill`; of normalizing `mean`
 * and `std`, float32 [c, 1, 1].
 */
export function imageProgram({ channels, resize, bytes, put, normalize }: ImageSteps): Program {
  const graph = new ProgramWriter();
  let image = channels === null ? graph.input("image", FLOATS) : unit(graph, channels);
  if (resize !== null) image = resized(graph, image, resize, bytes);
  if (channels === 1) image = graph.call("aten::expand", { self: image, size: list([-1, 3, -1, -1].map(int)) }, FLOATS);
  if (put) {
    const pad = list(["left", "right", "top", "bottom"].map((name) => graph.input(name, INTEGER)));
    image = graph.call("aten::constant_pad_nd", { self: image, pad, value: graph.input("fill", NUMBER) }, FLOATS);
  }
  if (normalize) {
    const column = (name: string): Arg => graph.input(name, { dtype: "float32", shape: [null, 1, 1] });
    const centered = graph.call("aten::sub.Tensor", { self: image, other: column("mean") }, FLOATS);
    image = graph.call("aten::div.Tensor", { self: centered, other: column("std") }, FLOATS);
  }
  return graph.program(image);
}

/** The colors of raw pixels as numbers between 0 and 1, [1, 3 or 1, height, width]. */
function unit(graph: ProgramWriter, channels: 1 | 3 | 4): Arg {
  const pixels = graph.input("image", { dtype: "uint8", shape: [null, null, channels] });
  const one = graph.call("aten::unsqueeze", { self: pixels, dim: int(0) }, BYTES);
  const planes = graph.call("aten::permute", { self: one, dims: list([0, 3, 1, 2].map(int)) }, BYTES);
  const colors = graph.call("aten::slice.Tensor", { self: planes, dim: int(1), start: int(0), end: int(3) }, BYTES);
  return graph.call("aten::div.Tensor", { self: colors, other: int(255) }, FLOATS);
}

function resized(graph: ProgramWriter, image: Arg, op: ResizeOp, bytes: boolean): Arg {
  const [height, width] = ["height", "width"].map((name) => graph.input(name, INTEGER));
  const to = (self: Arg, rows: Arg): Arg =>
    graph.call(op, { self, output_size: list([rows, width!]), align_corners: { kind: "bool", value: false } }, FLOATS);
  if (!overshoots(op, bytes)) return to(image, height!);
  // torchvision resizes the columns of bytes and then the rows: what is beyond 0 and 255 is lost after each.
  const clamped = (self: Arg): Arg => graph.call("aten::clamp", { self, min: int(0), max: int(1) }, FLOATS);
  return clamped(to(clamped(to(image, graph.input("rows", INTEGER))), height!));
}

const INTEGER: ValueType = { kind: "symint", value: null };
const NUMBER: ValueType = { kind: "symfloat", value: null };
const BYTES: TensorKind = { dtype: "uint8", shape: [null, null, null, null] };
const FLOATS: TensorKind = { dtype: "float32", shape: [null, null, null, null] };

function int(value: number): Arg {
  return { kind: "int", value };
}

function list(items: readonly Arg[]): Arg {
  return { kind: "list", items };
}
