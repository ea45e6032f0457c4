import { splitOpName } from "@pt2/graph";
import type { OpRecord, OpRegistry } from "@pt2/registry";
import type { EagerTensor } from "./eager-tensor.ts";
import { overloadName, Packet } from "./packet.ts";
import { mutation, unknownOp } from "./refused-ops.ts";

/** Makes the calls of overloads, once their arguments are known by name. */
export interface Caller {
  call(record: OpRecord, given: Readonly<Record<string, unknown>>): unknown;
}

/** An overload as a function. */
export type Overload = <Result = EagerTensor>(...args: readonly unknown[]) => Result;

/** An op as a function that chooses the overload by its arguments; its members are the overloads. */
export interface OpFunction extends Overload {
  readonly [overload: string]: Overload;
}

/** The ops of a namespace. */
export type Namespace = Readonly<Record<string, OpFunction>>;

/** Makes the functions of all ops of a registry, by namespace. A function is made when it is first asked for. */
export function namespaces(registry: OpRegistry, calls: Caller): Readonly<Record<string, Namespace>> {
  const records = functionalRecords(registry);
  return onDemand(
    (name) => {
      const ops = records.get(name);
      return ops && namespaceOf(name, ops, calls);
    },
    () => [...records.keys()],
  );
}

/** Returns the overloads that write to no argument, by namespace and op. */
export function functionalRecords(registry: OpRegistry): ReadonlyMap<string, ReadonlyMap<string, readonly OpRecord[]>> {
  const records = new Map<string, Map<string, OpRecord[]>>();
  for (const { op: name } of registry.list()) {
    const record = registry.resolve(name);
    if (record === undefined || writes(record)) continue;
    const { namespace, op } = splitOpName(name);
    const ops = records.get(namespace) ?? new Map<string, OpRecord[]>();
    records.set(namespace, ops);
    ops.set(op, [...(ops.get(op) ?? []), record]);
  }
  return records;
}

function writes({ schema, functional }: OpRecord): boolean {
  return functional !== undefined || schema.args.some(({ alias }) => alias?.write === true);
}

function namespaceOf(namespace: string, ops: ReadonlyMap<string, readonly OpRecord[]>, calls: Caller): Namespace {
  const names = [...ops.keys()];
  return onDemand(
    (name) => {
      const records = ops.get(name);
      return records === undefined ? refusal(namespace, name, names) : functionOf(new Packet(records), calls);
    },
    () => names,
  );
}

function functionOf(packet: Packet, calls: Caller): OpFunction {
  const callOf =
    (among?: readonly OpRecord[]): Overload =>
    <Result>(...given: readonly unknown[]) => {
      const { record, args } = packet.choose(given, among);
      return calls.call(record, args) as Result;
    };
  const overloads = Object.fromEntries(packet.overloads.map((record) => [overloadName(record), callOf([record])]));
  return new Proxy(callOf(), {
    get(target, name) {
      if (typeof name !== "string" || name === "then" || name in target) return Reflect.get(target, name);
      return Object.hasOwn(overloads, name) ? overloads[name] : () => refuseOverload(packet, name);
    },
    has: (target, name) => Object.hasOwn(overloads, name) || name in target,
  }) as OpFunction;
}

/** The function of an op that cannot be called: it says why. */
function refusal(namespace: string, name: string, known: readonly string[]): OpFunction {
  const full = `${namespace}.${name}`;
  const functional = functionalOf(name);
  const refuse = (): never => {
    if (functional !== null && known.includes(functional)) throw mutation(full, `${namespace}.${functional}`);
    throw unknownOp(namespace, name, known);
  };
  return new Proxy(refuse, {
    get: (target, key) => (typeof key !== "string" || key in target ? Reflect.get(target, key) : refuse),
  }) as unknown as OpFunction;
}

function refuseOverload(packet: Packet, name: string): never {
  if (/(^|_)out$/.test(name)) throw mutation(`${packet.name}.${name}`, packet.name);
  throw unknownOp(packet.name, name, packet.overloads.map(overloadName));
}

/** `relu` for `relu_`, `__and__` for `__iand__`; null for a name that is not that of an in-place op. */
function functionalOf(name: string): string | null {
  const dunder = /^__i(\w+)__$/.exec(name)?.[1];
  return dunder === undefined ? (/^(.*[^_])_$/.exec(name)?.[1] ?? null) : `__${dunder}__`;
}

/** An object whose members are made when they are first asked for. */
function onDemand<Member>(
  make: (name: string) => Member | undefined,
  names: () => readonly string[],
): Readonly<Record<string, Member>> {
  const made = new Map<string, Member | undefined>();
  const get = (name: string): Member | undefined => {
    if (!made.has(name)) made.set(name, make(name));
    return made.get(name);
  };
  return new Proxy<Record<string, Member>>(
    {},
    {
      get(_, name) {
        // A promise that resolves to the object asks whether it is a promise too.
        return typeof name === "string" && name !== "then" ? get(name) : undefined;
      },
      has: (_, name) => names().includes(String(name)),
      ownKeys: () => [...names()],
      getOwnPropertyDescriptor: (_, name) =>
        names().includes(String(name)) ? { enumerable: true, configurable: true, value: get(String(name)) } : undefined,
    },
  );
}
