import type { Activity } from "./activity.ts";
import { calls } from "./calls.ts";
import { loads } from "./loads.ts";
import type { Subject } from "./subjects.ts";

/** What must leave nothing behind, however often it is done, of what a subject can do. */
export function activitiesOf({ name }: Subject): readonly Activity[] {
  return [...calls, ...loads].filter(({ only = "" }) => name.startsWith(only));
}
