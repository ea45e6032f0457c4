import type { ModuleFrame, NodeMetadata } from "@pt2/format";
import type { NodeOrigin } from "../ir.ts";

interface Frame {
  readonly file: string;
  readonly line: string;
  readonly fn: string;
  readonly code: string | undefined;
}

const FRAME = /^\s*File "(?<file>[^"]*)", line (?<line>\d+)(?:, in (?<fn>.*))?$/;

/** Frames inside PyTorch, which do not help to find the user's code. */
const INTERNAL = /(?:^|\/)torch\/|^<|functorch\//;

/** Returns the module and Python line of a node, from its metadata. */
export function originOf(metadata: NodeMetadata): NodeOrigin {
  const module = metadata.nnModuleStack.at(-1);
  const frames = metadata.stackTrace === undefined ? [] : framesOf(metadata.stackTrace);
  const frame = frames.findLast(({ file }) => !INTERNAL.test(file)) ?? frames.at(-1);
  return {
    ...(module === undefined ? {} : { modulePath: pathOf(module), moduleClass: module.type }),
    ...(frame === undefined ? {} : { line: lineOf(frame) }),
    ...(frame?.code === undefined ? {} : { code: frame.code }),
  };
}

function framesOf(trace: string): readonly Frame[] {
  const lines = trace.split("\n");
  return lines.flatMap((text, i) => {
    const { file, line, fn } = FRAME.exec(text)?.groups ?? {};
    if (file === undefined || line === undefined) return [];
    const next = lines[i + 1];
    const code = next === undefined || FRAME.test(next) ? undefined : next.trim();
    return [{ file, line, fn: fn ?? "", code: code === "" ? undefined : code }];
  });
}

/** Returns only the base name: the folders are those of the author's machine. */
function lineOf({ file, line, fn }: Frame): string {
  const name = file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1);
  return fn === "" ? `${name}:${line}` : `${name}:${line}, in ${fn}`;
}

/** Converts the Python that strict exports write: `L['self'].layers`, `getattr(L['self'].layers, '0')`. */
function pathOf({ path }: ModuleFrame): string {
  let text = path;
  for (let before = ""; before !== text; ) {
    before = text;
    text = text.replace(/getattr\(([^()]*), '([^']*)'\)/, "$1.$2");
  }
  return text.replace(/^L\['self'\]\.?/, "").replace(/\['?([^\]']*)'?\]/g, ".$1");
}
