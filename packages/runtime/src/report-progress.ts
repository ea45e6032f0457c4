import type { Progress } from "@pt2/backend";

type OnProgress = (progress: Progress) => void;

/** Tells of a load's progress, and in the end that each stage is done. */
export interface ProgressReport {
  /** For the backend: nothing when nobody listens. */
  readonly request: { readonly onProgress?: OnProgress };
  /** The load is done. A weight that turned out to be needed by nobody was never read, and is no longer waited for. */
  finish(): void;
}

export function reportProgress(listener: OnProgress | undefined): ProgressReport {
  if (listener === undefined) return { request: {}, finish() {} };
  const latest = new Map<Progress["stage"], Progress>();
  return {
    request: {
      onProgress({ stage, done, total }) {
        // What is read in two ways is one weight all the same.
        const progress = { stage, done: Math.min(done, total), total };
        latest.set(stage, progress);
        listener(progress);
      },
    },
    finish() {
      for (const { stage, done, total } of latest.values()) if (done < total) listener({ stage, done: total, total });
    },
  };
}
