/** Milliseconds that this process computes for one call. Other processes' work does not count, unlike in elapsed time. */
async function cpuMs(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  return process.cpuUsage(before).user / 1000;
}

/** Milliseconds of computing of two subjects in turns. Two rounds warm up. */
export async function compareCpu(
  subjects: readonly [() => Promise<unknown>, () => Promise<unknown>],
  rounds: number,
): Promise<readonly [readonly number[], readonly number[]]> {
  const times: [number[], number[]] = [[], []];
  for (let round = -2; round < rounds; round++) {
    for (const which of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const ms = await cpuMs(subjects[which]);
      if (round >= 0) times[which].push(ms);
    }
  }
  return times;
}
