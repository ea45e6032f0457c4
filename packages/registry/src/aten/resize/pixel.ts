import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { range } from "../support/dims.ts";
import { emit } from "../support/emit.ts";

/** Defines ops that move elements between channels and space. */
export const PIXEL_OPS: readonly OpRecord[] = [
  defineOp("aten::pixel_shuffle(Tensor self, int upscale_factor) -> Tensor", {
    decompose: ({ self, upscale_factor: r }, b) => {
      const { lead, channels, height, width } = imageOf("pixel_shuffle", self);
      check(
        r > 0 && channels % (r * r) === 0,
        () =>
          `pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but input.size(-3)=${channels} is not divisible by ${r * r}`,
      );
      const e = emit(b);
      const n = lead.length;
      const cells = e.reshape(self, [...lead, channels / (r * r), r, r, height, width]);
      const moved = e.permute(cells, [...range(n), n, n + 3, n + 1, n + 4, n + 2]);
      return e.reshape(moved, [...lead, channels / (r * r), height * r, width * r]);
    },
  }),
  defineOp("aten::pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor", {
    decompose: ({ self, downscale_factor: r }, b) => {
      const { lead, channels, height, width } = imageOf("pixel_unshuffle", self);
      check(
        r > 0 && height % r === 0 && width % r === 0,
        () =>
          `pixel_unshuffle expects height and width to be divisible by downscale_factor ${r}, but got ${show([height, width])}`,
      );
      const e = emit(b);
      const n = lead.length;
      const cells = e.reshape(self, [...lead, channels, height / r, r, width / r, r]);
      const moved = e.permute(cells, [...range(n), n, n + 2, n + 4, n + 1, n + 3]);
      return e.reshape(moved, [...lead, channels * r * r, height / r, width / r]);
    },
  }),
  defineOp("aten::channel_shuffle(Tensor self, SymInt groups) -> Tensor", {
    decompose: ({ self, groups }, b) => shuffle(b, self, groups),
  }),
  defineOp("aten::native_channel_shuffle(Tensor self, SymInt groups) -> Tensor", {
    decompose: ({ self, groups }, b) => shuffle(b, self, groups),
  }),
];

interface Image {
  /** The sizes before the channels. */
  readonly lead: readonly number[];
  readonly channels: number;
  readonly height: number;
  readonly width: number;
}

function imageOf(op: string, { shape }: TensorMeta): Image {
  check(
    shape.length >= 3,
    () => `${op} expects input to have at least 3 dimensions, but got input with ${shape.length} dimension(s)`,
  );
  const [channels, height, width] = shape.slice(-3) as [number, number, number];
  return { lead: shape.slice(0, -3), channels, height, width };
}

function shuffle(b: Builder, self: TensorMeta, groups: number): TensorMeta {
  const e = emit(b);
  check(
    self.shape.length > 2,
    () => `channel_shuffle expects input with > 2 dims, but got input with sizes ${show(self.shape)}`,
  );
  const [batch, channels] = self.shape as readonly [number, number];
  check(
    groups > 0 && channels % groups === 0,
    () => `Number of channels must be divisible by groups. Got ${channels} channels and ${groups} groups.`,
  );
  const rest = self.shape.slice(2);
  const split = e.reshape(self, [batch, groups, channels / groups, ...rest]);
  return e.reshape(e.transpose(split, 1, 2), self.shape);
}
