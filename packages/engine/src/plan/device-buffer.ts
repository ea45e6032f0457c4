import type { Call } from "@pt2/registry";
import type { Lifetime } from "../arena/plan-arena.ts";
import type { DeviceBuffer } from "./constant.ts";
import { Replaceable } from "./replaceable.ts";

/** A buffer that no plan shares: for a mutable buffer of the module, or a tensor that stays on the device. */
export class DedicatedBuffer<Handle> extends Replaceable<Handle> implements DeviceBuffer<Handle> {
  readonly constant = null;
  readonly own: Handle;
  readonly bytes: number;

  constructor(handle: Handle, bytes: number) {
    super();
    this.own = handle;
    this.bytes = bytes;
  }
}

/** The memory that plans of an executable share, since runs do not overlap. */
export interface PlanMemory<Handle> {
  /** Returns the memory at a position that the device's layout gave a buffer: an offset, or the number of a slot. */
  at(position: number): Handle;
}

/** When a buffer is in use, and by which calls. */
interface BufferUse {
  readonly step: number;
  readonly calls: readonly Call[];
}

/** A buffer of a plan. Other tensors of the plan may share it when nothing reads it any more. */
export class PlanBuffer<Handle> extends Replaceable<Handle> implements DeviceBuffer<Handle>, Lifetime {
  readonly constant = null;
  readonly bytes: number;
  /** The step that makes it; `last` is the last one that reads it. */
  readonly first: number;
  last: number;
  /** The calls that allocated it; none for an input. */
  readonly calls: readonly Call[];
  /** The position that the device's layout sets. */
  position = -1;
  /** The bytes that the layout keeps for it, which plans for other sizes may need. */
  room: number;
  /** The buffer whose place it has: that of a plan for other sizes, or itself. */
  readonly place: PlanBuffer<Handle>;
  readonly #memory: PlanMemory<Handle>;

  constructor(memory: PlanMemory<Handle>, bytes: number, { step, calls }: BufferUse, place?: PlanBuffer<Handle>) {
    super();
    this.#memory = memory;
    this.bytes = bytes;
    this.room = bytes;
    this.first = step;
    this.last = step;
    this.calls = calls;
    this.place = place ?? this;
  }

  get own(): Handle {
    return this.#memory.at(this.place.position);
  }
}
