import { parseArgs } from "node:util";

/** What the command line asks for. */
export interface Arguments {
  readonly picture: string;
  /** Where the annotated picture goes; its ending says in which format. Null: it is not written. */
  readonly output: string | null;
  readonly backend: "wasm" | "libtorch";
  /** Path or address of the detector, its `.json` beside it. Null: the one of this folder. */
  readonly model: string | null;
  /** The least score of what is shown; null: what the detector's own `.json` says. */
  readonly threshold: number | null;
}

/** How the command is called. */
export const USAGE = `detect PICTURE [-o OUTPUT] [--backend wasm|libtorch] [--threshold SCORE] [--model FILE|ADDRESS]

  -o, --output     the picture with boxes: .jpg, .png or .webp
  -b, --backend    where the detector runs; wasm unless given
  -t, --threshold  the least score of what is shown, 0 to 1
  -m, --model      another detector: a .pt2 with its .json beside it
  -h, --help       this text`;

/** What is wrong with the command line, for the user. */
export class UsageError extends Error {}

/** Reads the command line, null for help; throws a {@link UsageError} where it asks for nothing that can be done. */
export function readArguments(args: readonly string[]): Arguments | null {
  const { values, positionals } = parsed(args);
  if (values.help) return null;
  const [picture, ...more] = positionals;
  if (picture === undefined) throw new UsageError("name a picture");
  if (more.length > 0) throw new UsageError(`one picture at a time; there is also ${more.join(", ")}`);
  const { backend = "wasm", output = null, model = null } = values;
  if (backend !== "wasm" && backend !== "libtorch") throw new UsageError(`there is no backend ${backend}`);
  if (output !== null && !/\.(jpe?g|png|webp)$/i.test(output))
    throw new UsageError(`--output ends in .jpg, .png or .webp, which says the format; ${output} does not`);
  const threshold = values.threshold === undefined ? null : Number(values.threshold);
  if (threshold !== null && !(threshold >= 0 && threshold <= 1))
    throw new UsageError(`--threshold is a score from 0 to 1, not ${values.threshold}`);
  return { picture, output, backend, model, threshold };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        output: { type: "string", short: "o" },
        backend: { type: "string", short: "b" },
        model: { type: "string", short: "m" },
        threshold: { type: "string", short: "t" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (problem) {
    throw new UsageError((problem as Error).message);
  }
}
