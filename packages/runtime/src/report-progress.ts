import type { Progress } from "@pt2/backend";

type OnProgress = (progress: Progress) => void;

/** Reports a load's progress, and at the end that each stage is complete. */
export interface ProgressReport {
  /** The backend's callback; absent without a listener. */
  readonly request: { readonly onProgress?: OnProgress };
  /** Reports completion, even if an unneeded weight was never read. */
  finish(): void;
}

export function reportProgress(listener: OnProgress | undefined): ProgressReport {
  if (listener === undefined) return { request: {}, finish() {} };
  const latest = new Map<Progress["stage"], Progress>();
  return {
    request: {
      onProgress({ stage, done, total }) {
        // A weight that is read in two ways counts once.
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
