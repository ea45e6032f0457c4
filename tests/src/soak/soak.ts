import type { Activity } from "./activities.ts";
import { type Reading, readProcess } from "./readings.ts";
import type { Buffers, Subject } from "./subjects.ts";

/** What there is at one moment of an activity. */
export interface Moment extends Reading {
  /** Bytes that the model says it has reserved. */
  readonly reserved: number;
  readonly buffers: Buffers;
}

/** An activity's three moments: when it had been done a few times, at the half, and at the end. */
export interface Soaked {
  readonly before: Moment;
  readonly middle: Moment;
  readonly after: Moment;
  /** Steps between two of them. */
  readonly steps: number;
}

/** Does a thing `steps` times, twice over, after as many as fill every cache. */
export async function soak(subject: Subject, activity: Activity, steps: number, warmUp: number): Promise<Soaked> {
  const { backend, buffers, close } = await subject.create();
  try {
    const going = await activity.begin(backend, subject.precision);
    let done = 0;
    const until = async (end: number): Promise<Moment> => {
      for (; done < end; done++) await going.step(done);
      return { reserved: await going.reserved(), buffers: buffers(), ...(await readProcess()) };
    };
    const before = await until(warmUp);
    const middle = await until(warmUp + steps);
    const after = await until(warmUp + 2 * steps);
    await going.end();
    return { before, middle, after, steps };
  } finally {
    await close();
  }
}
