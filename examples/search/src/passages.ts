import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** A piece of a text that is short enough to be about one thing. */
export interface Passage {
  /** Path of its file below the folder. */
  readonly file: string;
  readonly text: string;
}

/** Longer paragraphs are cut between sentences; the encoder was trained on about this much. */
const MOST_WORDS = 120;

/** Reads the `.txt` and `.md` files of a folder and of those below it, as paragraphs. Headings go with what follows. */
export async function readPassages(folder: string): Promise<readonly Passage[]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => /\.(?:txt|md)$/i.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  return texts.flatMap((text, i) => passagesOf(text).map((passage) => ({ file: files[i]!, text: passage })));
}

/** The passages of one text. */
export function passagesOf(text: string): readonly string[] {
  const blocks = text.split(/\r?\n\s*\r?\n/).map((block) => block.replace(/\s+/g, " ").trim());
  const passages: string[] = [];
  let heading = "";
  for (const block of blocks.filter((each) => each !== "")) {
    if (/^#+ /.test(block)) {
      heading = `${block.replace(/^#+ /, "")}. `;
      continue;
    }
    passages.push(...cut(heading + block));
    heading = "";
  }
  return passages;
}

function cut(paragraph: string): readonly string[] {
  const pieces: string[] = [];
  let piece = "";
  for (const sentence of paragraph.split(/(?<=[.!?…]) /)) {
    const longer = piece === "" ? sentence : `${piece} ${sentence}`;
    if (piece !== "" && longer.split(" ").length > MOST_WORDS) {
      pieces.push(piece);
      piece = sentence;
    } else {
      piece = longer;
    }
  }
  return [...pieces, piece];
}
