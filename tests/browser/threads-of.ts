import { readdir, readFile } from "node:fs/promises";

/** What each thread of a group of processes does: its state, its processor time in clock ticks, and where it sleeps. Linux only. */
export async function threadsOf(group: number): Promise<string> {
  const lines: string[] = [];
  for (const process of await numbersIn("/proc")) {
    const stat = await statOf(`/proc/${process}`);
    if (stat === null || stat.group !== group) continue;
    lines.push(`process ${process} ${stat.name}`);
    for (const thread of await numbersIn(`/proc/${process}/task`)) {
      const at = `/proc/${process}/task/${thread}`;
      const of = await statOf(at);
      if (of === null) continue;
      const sleeps = await readFile(`${at}/wchan`, "utf8").catch(() => "");
      lines.push(`  ${of.name}: ${of.state}, ${of.ticks} ticks, ${sleeps}`);
    }
  }
  return lines.join("\n");
}

async function numbersIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(() => [])).filter((name) => /^\d+$/.test(name));
}

/** Reads a `stat` file of proc(5); null when the process or thread has ended. */
async function statOf(
  folder: string,
): Promise<{ readonly name: string; readonly state: string; readonly group: number; readonly ticks: number } | null> {
  const text = await readFile(`${folder}/stat`, "utf8").catch(() => "");
  // Names are in brackets, and may have any character.
  const [, name, rest] = /^\d+ \((.*)\) (.*)/s.exec(text) ?? [];
  if (name === undefined || rest === undefined) return null;
  const fields = rest.split(" ");
  return { name, state: fields[0]!, group: Number(fields[2]), ticks: Number(fields[11]) + Number(fields[12]) };
}
