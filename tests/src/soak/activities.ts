import type { Activity } from "./activity.ts";
import { calls } from "./calls.ts";
import { loads } from "./loads.ts";
import type { Subject } from "./subjects.ts";

/** Lists the activities of a subject, which must leave nothing behind, however often they are repeated. */
export function activitiesOf({ name }: Subject): readonly Activity[] {
  return [...calls, ...loads].filter(({ only = "" }) => name.startsWith(only));
}
