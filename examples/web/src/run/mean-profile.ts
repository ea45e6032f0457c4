import type { Profile } from "@pt2/runtime";

/** The mean of profiles of the same program and shapes, whose steps are the same: a page's clock ticks too coarsely for one. */
export function meanProfile(profiles: readonly Profile[]): Profile {
  const mean = (of: (profile: Profile) => number): number =>
    profiles.reduce((sum, profile) => sum + of(profile), 0) / profiles.length;
  const [first] = profiles;
  const steps = first!.steps.map((step, i) => ({
    ...step,
    startMs: mean((profile) => profile.steps[i]?.startMs ?? 0),
    ms: mean((profile) => profile.steps[i]?.ms ?? 0),
  }));
  return { outputs: first!.outputs, steps, totalMs: mean(({ totalMs }) => totalMs) };
}
