import { readFile } from "node:fs/promises";
import type { Backend } from "@pt2/backend";
import { fromBytes, openArchive, Pt2Error } from "@pt2/format";
import { load } from "@pt2/runtime";
import { type RandomBelow, randomBelow } from "@pt2/testing/random";
import { zipSync } from "fflate";
import { fixturePath, readCalls } from "../fixture.ts";
import type { Outcomes, Victim } from "./damaged-programs.ts";
import type { Json } from "./mutate-json.ts";

type Call = Awaited<ReturnType<typeof readCalls>>[number];

/** The files of an archive. */
export type Records = Record<string, Uint8Array>;

/** Reads the files of a fixture. */
export async function recordsOf(name: string): Promise<Records> {
  const archive = await openArchive(fromBytes(new Uint8Array(await readFile(fixturePath(`${name}.pt2`)))));
  const records: Records = {};
  for (const record of archive.entries.keys()) records[record] = await archive.readEntry(record);
  return records;
}

const encode = (json: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(json));
const decode = (bytes: Uint8Array | undefined): Json => JSON.parse(new TextDecoder().decode(bytes)) as Json;

/** Loads an archive and runs it once; returns `ran` or the code of an error. Any other error is thrown. */
export async function outcome(records: Records, level: 0 | 9, call: Call, backend: Backend): Promise<string> {
  try {
    await using model = await load(zipSync(records, { level }), { backend });
    await model.runFlat(call.inputs);
    return "ran";
  } catch (error) {
    if (error instanceof Pt2Error && !error.code.endsWith(".internal")) return error.code;
    throw error;
  }
}

/** Reads the first call of a fixture. */
export async function firstCall(name: string): Promise<Call> {
  return (await readCalls(fixturePath(name)))[0]!;
}

const NUMBERS: readonly number[] = [0, -1, 1, 3, 7, 65536, 2 ** 31, 2 ** 32, 2 ** 40, 2 ** 53, -(2 ** 63)];
const STRINGS: readonly string[] = [
  "",
  "weight_0",
  "weight_1",
  "../weight_0",
  "nowhere",
  "data/weights/weight_0",
  "__proto__",
];

/** Changes one entry of a weights config: a size, a stride, an offset, a dtype, a record's name, or its structure. */
function damage(config: Json, next: RandomBelow): void {
  const slots: { readonly holder: Record<string, Json>; readonly key: string }[] = [];
  const visit = (value: Json): void => {
    if (typeof value !== "object" || value === null) return;
    for (const key of Object.keys(value)) {
      slots.push({ holder: value as Record<string, Json>, key });
      visit((value as Record<string, Json>)[key]!);
    }
  };
  visit(config);
  const slot = slots[next(slots.length)];
  if (slot === undefined) return;
  const { holder, key } = slot;
  const old = holder[key]!;
  if (Array.isArray(old) && next(2) === 0) holder[key] = [...old, ...old];
  else if (Array.isArray(old)) holder[key] = old.slice(1);
  else if (typeof old === "number") holder[key] = NUMBERS[next(NUMBERS.length)]!;
  else if (typeof old === "string") holder[key] = STRINGS[next(STRINGS.length)]!;
  else if (typeof old === "boolean") holder[key] = !old;
  else if (next(2) === 0) delete holder[key];
  else holder[key] = null;
}

/** Damages the weight configs of some fixtures `rounds` times each, and loads and runs the results. */
export async function runDamagedWeights({ backend, inspect }: Victim, rounds: number): Promise<Outcomes> {
  const counts = new Map<string, number>();
  const findings: string[] = [];
  for (const name of ["torch-2.13/mlp", "torch-2.13/buffers", "torch-2.13/strides", "torch-2.13/consts"]) {
    const records = await recordsOf(name);
    const call = await firstCall(name);
    const configs = Object.keys(records).filter((record) => /weights_config|constants_config/.test(record));
    for (let seed = 0; seed < rounds; seed++) {
      const next = randomBelow(seed * 7919 + name.length);
      const record = configs[next(configs.length)]!;
      const config = decode(records[record]);
      for (let count = 1 + next(2); count > 0; count--) damage(config, next);
      const found = (what: string): void => {
        findings.push(`${name}, seed ${seed}: ${JSON.stringify(config).slice(0, 200)}: ${what}`);
      };
      try {
        const result = await outcome({ ...records, [record]: encode(config) }, 0, call, backend);
        counts.set(result, (counts.get(result) ?? 0) + 1);
      } catch (error) {
        found((error as Error).stack?.slice(0, 300) ?? String(error));
      }
      for (const what of (await inspect?.()) ?? []) found(what);
    }
  }
  return { counts, findings };
}
