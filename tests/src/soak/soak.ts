import type { Activity } from "./activity.ts";
import { type Reading, readProcess } from "./readings.ts";
import type { Buffers, Subject } from "./subjects.ts";

/** What a process holds at one moment of an activity. */
export interface Moment extends Reading {
  /** The bytes that the model reports as reserved. */
  readonly reserved: number;
  readonly buffers: Buffers;
}

/** The moments of an activity: when it was done a few times (if requested), half-way, and at the end. */
export interface Soaked {
  readonly before?: Moment;
  readonly middle: Moment;
  readonly after: Moment;
}

/** Does an activity `steps` times, twice over, after as many as fill every cache. */
export async function soak(
  subject: Subject,
  activity: Activity,
  steps: number,
  { warmUp, before: wanted }: { readonly warmUp: number; readonly before: boolean },
): Promise<Soaked> {
  const { backend, buffers, close } = await subject.create();
  try {
    const going = await activity.begin({ backend, subject });
    let done = 0;
    const until = async (end: number): Promise<void> => {
      for (; done < end; done++) await going.step(done);
    };
    const read = async (): Promise<Moment> => ({
      reserved: await going.reserved(),
      buffers: buffers(),
      ...(await readProcess()),
    });
    await until(warmUp);
    const before = wanted ? await read() : undefined;
    await until(warmUp + steps);
    const middle = await read();
    await until(warmUp + 2 * steps);
    const after = await read();
    await going.end();
    return { ...(before && { before }), middle, after };
  } finally {
    await close();
  }
}
