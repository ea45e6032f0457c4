import type { RandomBelow } from "@pt2/testing/random";

/** JSON as `JSON.parse` returns it. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

interface Slot {
  readonly holder: Json[] | { [key: string]: Json };
  readonly key: string | number;
}

const INTS: readonly number[] = [0, -1, 1, 2, 3, 7, 64, 65536, 2 ** 31, 2 ** 32, 2 ** 40, 2 ** 53, 2 ** 62, -(2 ** 63)];
const FLOATS: readonly Json[] = ["NaN", "Infinity", "-Infinity", 1e308, -0.5, 0];
const EXPRESSIONS: readonly string[] = [
  "Symbol('s0')",
  "Integer(0)",
  "FloorDiv(Integer(1), Integer(0))",
  "Mod(Symbol('s77'), Integer(0))",
  "Pow(Integer(10), Integer(100000))",
  "PythonMod(Symbol('s77'), Symbol('s77'))",
  "Add(",
  `${"Add(Integer(1), ".repeat(400)}Integer(1)${")".repeat(400)}`,
];
const OPS: readonly string[] = [
  "aten.add.Tensor",
  "aten.mm.default",
  "aten.cat.default",
  "aten.view.default",
  "aten.expand.default",
  "aten.as_strided.default",
  "aten.gather.default",
  "aten.full.default",
  "aten.zeros.default",
  "aten.arange.default",
  "aten.unbind.int",
  "aten.copy_.default",
  "aten.repeat.default",
  "aten.constant_pad_nd.default",
  "aten.item.default",
  "aten.nonzero.default",
  "higher_order.cond",
  "higher_order.while_loop",
  "nothing.known.default",
].map((op) => `torch.ops.${op}`);

/** Damages a program in place: one to three mutations of its structure, all of them valid JSON. */
export function mutateProgram(program: Json, next: RandomBelow): void {
  for (let count = 1 + next(3); count > 0; count--) mutateOnce(slotsOf(program), next);
}

function mutateOnce(slots: readonly Slot[], next: RandomBelow): void {
  const pick = <T>(list: readonly T[]): T => list[next(list.length)]!;
  const where = (wanted: (slot: Slot) => boolean): Slot | undefined => {
    const found = slots.filter(wanted);
    return found.length === 0 ? undefined : pick(found);
  };
  const set = (slot: Slot | undefined, value: (old: Json) => Json): void => {
    if (slot !== undefined) put(slot, value(get(slot)));
  };
  switch (next(12)) {
    case 0:
      set(
        where(({ key }) => key === "target"),
        () => pick(OPS),
      );
      return;
    case 1: // names: references to other values, to themselves, to nothing
      set(
        where(({ key }) => key === "name"),
        () =>
          get(where(({ key }) => key === "name")!) === null || next(4) === 0
            ? "nowhere"
            : get(where(({ key }) => key === "name")!),
      );
      return;
    case 2: // numbers anywhere: sizes, strides, literals, dtypes
    case 3:
      set(
        where((slot) => typeof get(slot) === "number"),
        () => pick(INTS),
      );
      return;
    case 4:
      set(
        where(({ key }) => key === "as_int" || key === "as_float"),
        () => (next(2) === 0 ? pick(INTS) : pick(FLOATS)),
      );
      return;
    case 5: // a dimension more or less
      set(
        where(({ key }) => key === "sizes" || key === "strides" || key === "as_ints"),
        (old) => (Array.isArray(old) && next(2) === 0 ? old.slice(1) : [...(old as Json[]), ...(old as Json[])]),
      );
      return;
    case 6: // an entry of a list goes, or comes twice
      set(
        where((slot) => Array.isArray(get(slot)) && (get(slot) as Json[]).length > 0),
        (old) => {
          const list = [...(old as Json[])];
          const at = next(list.length);
          if (next(2) === 0) list.splice(at, 1);
          else list.splice(at, 0, structuredClone(list[at]!));
          return list;
        },
      );
      return;
    case 7: // two entries change places: nodes, arguments, specs, operands
      set(
        where((slot) => Array.isArray(get(slot)) && (get(slot) as Json[]).length > 1),
        (old) => {
          const list = [...(old as Json[])];
          const [a, b] = [next(list.length), next(list.length)];
          [list[a], list[b]] = [list[b]!, list[a]!];
          return list;
        },
      );
      return;
    case 8: // a part of the program stands where another belongs
      set(
        where((slot) => isObject(get(slot))),
        () => structuredClone(get(where((slot) => isObject(get(slot)))!)),
      );
      return;
    case 9: {
      const slot = where((s) => isObject(get(s)));
      if (slot === undefined) return;
      const object = { ...(get(slot) as { [key: string]: Json }) };
      delete object[pick(Object.keys(object))!];
      put(slot, object);
      return;
    }
    case 10:
      set(
        where(({ key }) => key === "expr_str" || key === "as_expr"),
        (old) => (isObject(old) ? { ...old, expr_str: pick(EXPRESSIONS) } : pick(EXPRESSIONS)),
      );
      return;
    default: // an argument of another kind
      set(
        where(({ key }) => key === "arg"),
        () =>
          pick<Json>([
            { as_none: true },
            { as_int: pick(INTS) },
            { as_ints: [pick(INTS), pick(INTS)] },
            { as_float: pick(FLOATS) },
            { as_bool: true },
            { as_string: "x" },
            { as_tensors: [] },
            { as_scalar_type: next(20) },
          ]),
      );
      return;
  }
}

function isObject(value: Json): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
}

function get({ holder, key }: Slot): Json {
  return (holder as { [key: string]: Json })[key] as Json;
}

function put({ holder, key }: Slot, value: Json): void {
  (holder as { [key: string]: Json })[key] = value;
}

/** Lists every slot of a document except the metadata of nodes, which nothing computes with. */
function slotsOf(root: Json): readonly Slot[] {
  const slots: Slot[] = [];
  const visit = (value: Json): void => {
    if (typeof value !== "object" || value === null) return;
    for (const key of Object.keys(value)) {
      if (key === "metadata") continue;
      const slot: Slot = { holder: value, key: Array.isArray(value) ? Number(key) : key };
      slots.push(slot);
      visit(get(slot));
    }
  };
  visit(root);
  return slots;
}
