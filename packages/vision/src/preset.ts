import { visionError } from "./vision-errors.ts";

/** What is common to all ways in which a picture becomes the input of a program. */
interface Resized {
  /** Whether pixels are averaged where a picture shrinks. @default true */
  readonly antialias?: boolean;
  /** @default "bilinear" */
  readonly interpolation?: "bilinear" | "bicubic";
  /** Subtracted from values between 0 and 1, one for each channel, where the program does not do it. */
  readonly mean?: readonly number[];
  /** What the difference is divided by. */
  readonly std?: readonly number[];
}

interface Fixed {
  readonly height: number;
  readonly width: number;
}

/**
 * How a picture becomes an input of values between 0 and 1, float32 [1, 3, height, width]. `stretch`: resized to that
 * size. `letterbox`: as large as fits, in the middle, on `fill`. `crop`: its shorter side resized to `resize`, and the
 * middle cut out. `scale`: resized so that the shorter side is `shorterSide`, and the longer one at most `longerSide`.
 */
export type ImagePreset = Resized &
  (
    | (Fixed & { readonly fit: "stretch" })
    | (Fixed & { readonly fit: "letterbox"; readonly fill: number })
    | (Fixed & { readonly fit: "crop"; readonly resize: number })
    | { readonly fit: "scale"; readonly shorterSide: number; readonly longerSide: number }
  );

/** What lies beside a program, as `X.json` beside `X.pt2`: how pictures become its input, and what its results mean. */
export interface Preset {
  /** The version of this format. */
  readonly version: 1;
  /** What the program does. */
  readonly task: "object-detection" | "image-classification";
  /** How a picture becomes the program's input. */
  readonly image: ImagePreset;
  /** The names of the classes, by their numbers. */
  readonly labels: readonly string[];
  /** The names of keypoints. */
  readonly keypoints: readonly string[];
  /** The score from which something counts as found. */
  readonly threshold: number;
}

const FITS = ["stretch", "letterbox", "crop", "scale"];

/** Checks a preset that was read from JSON, and fills in what may be left out. */
export function parsePreset(json: unknown): Preset {
  const { version, task, image, labels = [], keypoints = [], threshold = 0.5 } = objectOf(json, "The preset");
  if (version !== 1) throw wrong(`version is ${JSON.stringify(version)}, not 1`);
  if (task !== "object-detection" && task !== "image-classification") {
    throw wrong(`task is ${JSON.stringify(task)}, not "object-detection" or "image-classification"`);
  }
  if (!isNames(labels) || !isNames(keypoints)) throw wrong("labels and keypoints must be lists of names");
  return { version, task, image: parseImage(image), labels, keypoints, threshold: share(threshold, "threshold") };
}

function parseImage(json: unknown): ImagePreset {
  const given = objectOf(json, "`image`");
  const { height, width, resize = height, fill = 0, antialias = true, interpolation = "bilinear" } = given;
  const { shorterSide, longerSide = shorterSide, mean, std } = given;
  const fit = given.fit ?? (height === undefined ? "scale" : "stretch");
  if (typeof antialias !== "boolean") throw wrong("image.antialias must be true or false");
  if (interpolation !== "bilinear" && interpolation !== "bicubic") {
    throw wrong(`image.interpolation is ${JSON.stringify(interpolation)}, not "bilinear" or "bicubic"`);
  }
  if (typeof fit !== "string" || !FITS.includes(fit)) {
    throw wrong(`image.fit is ${JSON.stringify(fit)}, not one of ${FITS.join(", ")}`);
  }
  const [means, stds] = [channels(mean, "mean"), channels(std, "std")];
  const common = { antialias, interpolation, ...(means && { mean: means }), ...(stds && { std: stds }) } as const;
  // Exporters leave sizes out where the program takes pictures of any size.
  if (fit === "scale" || (height === undefined && width === undefined && shorterSide !== undefined)) {
    const sides = { shorterSide: pixels(shorterSide, "shorterSide"), longerSide: pixels(longerSide, "longerSide") };
    return { ...common, fit: "scale", ...sides };
  }
  const size = { height: pixels(height, "height"), width: pixels(width, "width") };
  if (fit === "letterbox") return { ...common, ...size, fit, fill: share(fill, "image.fill") };
  if (fit === "crop") return { ...common, ...size, fit, resize: pixels(resize, "resize") };
  return { ...common, ...size, fit: "stretch" };
}

function objectOf(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw wrong(`${what} is not an object`);
}

function pixels(value: unknown, name: string): number {
  if (Number.isSafeInteger(value) && (value as number) > 0) return value as number;
  throw wrong(`image.${name} is ${JSON.stringify(value)}, not a number of pixels`);
}

function share(value: unknown, name: string): number {
  if (typeof value === "number" && value >= 0 && value <= 1) return value;
  throw wrong(`${name} is ${JSON.stringify(value)}, not a number between 0 and 1`);
}

function channels(value: unknown, name: string): readonly number[] | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.length === 3 && value.every((each) => Number.isFinite(each))) return value;
  throw wrong(`image.${name} must be three numbers, for red, green and blue`);
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function wrong(what: string): Error {
  return visionError("vision.preset", {
    what,
    advice: "write the file as the export scripts do, see docs/detection.md",
  });
}
