import { requireOptions } from "@pt2/format/options";
import type { LoadOptions, Model, ModelSource } from "@pt2/runtime";
import type { DetectorOptions } from "./detector.ts";
import type { ImageReader } from "./source.ts";
import { visionError } from "./vision-errors.ts";

/** How a program is loaded together with what lies beside it. */
export type LoadVisionOptions<Options> = LoadOptions &
  Partial<Omit<Options, "backend">> & {
    /** @default the JSON of the same name beside the program: `X.json` beside `X.pt2` */
    readonly preset?: unknown;
  };

/** How programs, presets and pictures are read where this runs. */
export interface Surroundings<Image> {
  readonly reader: ImageReader<Image>;
  load(source: ModelSource, options: LoadOptions): Promise<Model>;
  readPreset(source: ModelSource): Promise<unknown>;
}

/** Loads a program with its preset, and makes of them what is asked for, which then owns the model. */
export async function loadWith<Image, Made, Options>(
  source: ModelSource,
  options: LoadVisionOptions<Options>,
  { reader, load, readPreset }: Surroundings<Image>,
  make: new (model: Model, options: never, reader: ImageReader<Image>, release: () => Promise<void>) => Made,
): Promise<Made> {
  requireOptions("The load of a model for pictures", options, OPTIONS, "vision.options", "backend");
  const { labels, threshold } = options as Partial<DetectorOptions>;
  const [preset, backend] = await Promise.all([options.preset ?? readPreset(source), options.backend]);
  const model = await load(source, options);
  try {
    return new make(model, { backend, preset, labels, threshold } as never, reader, () => model.dispose());
  } catch (error) {
    await model.dispose();
    throw error;
  }
}

/** The options of a load and of a detector, whose values are checked by what takes them; `weights` are some in Node. */
const OPTIONS: Readonly<Record<keyof LoadOptions | keyof DetectorOptions | "weights", string>> = {
  backend: "unknown",
  handlers: "unknown",
  labels: "unknown",
  library: "unknown",
  model: "unknown",
  onProgress: "unknown",
  onWarning: "unknown",
  ops: "unknown",
  precision: "unknown",
  preset: "unknown",
  signal: "unknown",
  threshold: "unknown",
  verifyChecksums: "unknown",
  weights: "unknown",
};

/** The address of the preset of a program. */
export function presetAddress(source: ModelSource): string {
  const address = typeof source === "string" || source instanceof URL ? String(source) : null;
  if (address !== null && /\.pt2(?=$|[?#])/.test(address)) return address.replace(/\.pt2(?=$|[?#])/, ".json");
  throw visionError("vision.preset", {
    what: address === null ? "A program of bytes has no preset beside it" : `${address} does not end in .pt2`,
    advice: "give the option `preset`",
  });
}

/** Reads the preset of a program from its site. */
export async function fetchPreset(source: ModelSource): Promise<unknown> {
  const address = presetAddress(source);
  try {
    const response = await fetch(address);
    if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
    return await response.json();
  } catch (cause) {
    throw unreadablePreset(address, cause);
  }
}

/** The error for a preset that is not there, or is no JSON. */
export function unreadablePreset(address: string, cause: unknown): Error {
  return visionError("vision.preset", {
    what: `The preset ${address} cannot be read: ${cause instanceof Error ? cause.message : cause}`,
    advice: "put the JSON that the export script wrote beside the program, or give the option `preset`",
    cause,
  });
}
