import { roundHalfEven } from "@pt2/format";
import type { Size } from "./pixels.ts";
import type { ImagePreset } from "./preset.ts";

/** A box in pixels: left, top, right, bottom. */
export type Box = readonly [x1: number, y1: number, x2: number, y2: number];

/** How a picture lies in the input of a program. */
export interface Placement {
  readonly source: Size;
  /** The size that the whole picture is resized to. */
  readonly resized: Size;
  /** Where its left top corner is in the input: below 0 where it was cropped, above where it is padded. */
  readonly left: number;
  readonly top: number;
  /** The size of the input. */
  readonly input: Size;
}

/** Places a picture as a preset says. Sizes are rounded as torchvision does it for the same kind of transform. */
export function place(source: Size, preset: ImagePreset): Placement {
  const whole = (size: Size): Placement => ({ source, resized: size, left: 0, top: 0, input: size });
  if (preset.fit === "scale") return whole(scaled(source, preset.shorterSide, preset.longerSide));
  const input = { width: preset.width, height: preset.height };
  if (preset.fit === "stretch") return whole(input);
  const resized = preset.fit === "crop" ? shorterTo(source, preset.resize) : inside(source, input);
  return { source, ...centered(resized, input) };
}

/** Puts a picture in the middle of an input, which crops it or pads it, as torchvision's `center_crop` rounds. */
export function centered(resized: Size, input: Size): Omit<Placement, "source"> {
  const at = (free: number): number => (free < 0 ? -roundHalfEven(-free / 2) : Math.floor(free / 2));
  return { resized, left: at(input.width - resized.width), top: at(input.height - resized.height), input };
}

/** Positions of an input as positions of the picture: outside of it in what pads it. */
export interface ToSource {
  x(value: number): number;
  y(value: number): number;
}

/** Returns the corresponding position in the source: a factor and an offset for each direction. */
export function toSource({ source, resized, left, top }: Placement): ToSource {
  return {
    x: (value) => ((value - left) * source.width) / resized.width,
    y: (value) => ((value - top) * source.height) / resized.height,
  };
}

/** The part of a box that is in a picture; the nearest edge or corner where none is. */
export function clipped([x1, y1, x2, y2]: Box, picture: Size): Box {
  const [x, y] = [within(picture.width), within(picture.height)];
  return [x(x1), y(y1), x(x2), y(y2)];
}

/** Returns the nearest number between 0 and `most`. */
export function within(most: number): (value: number) => number {
  return (value) => Math.min(Math.max(value, 0), most);
}

/** As large as fits into `input`, at least one pixel. */
export function inside({ width, height }: Size, input: Size): Size {
  const scale = Math.min(input.width / width, input.height / height);
  const side = (length: number, most: number): number => Math.min(most, Math.max(1, Math.round(length * scale)));
  return { width: side(width, input.width), height: side(height, input.height) };
}

/** torchvision's `Resize(size)`: the shorter side becomes `size`. */
function shorterTo({ width, height }: Size, size: number): Size {
  const longer = Math.floor((size * Math.max(width, height)) / Math.min(width, height));
  return width <= height ? { width: size, height: longer } : { width: longer, height: size };
}

/** torchvision's detection transform: the shorter side becomes `shorter`, or less where the longer one would exceed `longer`. */
function scaled({ width, height }: Size, shorter: number, longer: number): Size {
  const factor = Math.min(shorter / Math.min(width, height), longer / Math.max(width, height));
  const side = (length: number): number => Math.max(1, Math.floor(length * factor));
  return { width: side(width), height: side(height) };
}
