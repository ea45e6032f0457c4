/** A detector that was chosen: its program, and the facts about it that lie beside it. */
export interface ModelChoice {
  readonly name: string;
  readonly program: URL | Blob;
  /** What its `.json` says; not checked yet. */
  readonly facts: unknown;
}

/** The detector that comes with the page. */
export function ownModel(): Promise<ModelChoice> {
  const program = new URL("../../detect-node/digits-and-shapes.pt2", import.meta.url);
  const facts = new URL("../../detect-node/digits-and-shapes.json", import.meta.url);
  return fetched("digits-and-shapes.pt2", program, facts);
}

/** The detector at an address, relative to the page; its facts are at the same one with `.json` for `.pt2`. */
export function modelAt(address: string): Promise<ModelChoice> {
  const program = new URL(address, location.href);
  const facts = new URL(program);
  facts.pathname = `${facts.pathname.replace(/\.pt2$/, "")}.json`;
  return fetched(program.pathname.split("/").at(-1)!, program, facts);
}

/** The detector among files: one `.pt2`, one `.json`. */
export async function modelIn(files: readonly File[]): Promise<ModelChoice> {
  const [program, json] = [".pt2", ".json"].map((end) => files.find(({ name }) => name.endsWith(end)));
  if (program === undefined) throw new Error("Among these files is no .pt2: choose one, together with its .json.");
  if (json === undefined)
    throw new Error(
      `Choose the .json of ${program.name} together with it: it says how large pictures are, and the labels.`,
    );
  return { name: program.name, program, facts: parsed(await json.text(), json.name) };
}

async function fetched(name: string, program: URL, facts: URL): Promise<ModelChoice> {
  const response = await fetch(facts).catch((cause) => {
    throw new Error(`${facts} cannot be read: the server does not answer, or does not allow this page to read it.`, {
      cause,
    });
  });
  if (!response.ok) throw new Error(`${facts} cannot be read: the server answers ${response.status}.`);
  return { name, program, facts: parsed(await response.text(), facts.pathname.split("/").at(-1)!) };
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${name} is not JSON.`, { cause });
  }
}
