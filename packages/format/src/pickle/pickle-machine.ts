import { formatError } from "../format-errors.ts";
import { checkLimit } from "../limits.ts";
import { refusedGlobal, resolveGlobal } from "./allowed-globals.ts";
import {
  type MutableDict,
  type MutableList,
  type MutableObject,
  type PickleItem,
  pickleError,
  text,
} from "./pickle-items.ts";
import { PickleReader } from "./pickle-reader.ts";

/** The stack, marks and memo of an unpickler. Every operation checks its operands. */
export class PickleMachine {
  readonly input: PickleReader;
  readonly persistentLoad: (id: PickleItem) => PickleItem;
  readonly #memo: Map<number, PickleItem> = new Map();
  readonly #marks: number[] = [];
  readonly #stack: PickleItem[] = [];
  readonly #classes: boolean;
  #work = 0;

  /** With `classes`, instances of any class are what their attributes are; nothing of a class is run. */
  constructor(bytes: Uint8Array, persistentLoad: (id: PickleItem) => PickleItem, classes: boolean) {
    this.input = new PickleReader(bytes);
    this.persistentLoad = persistentLoad;
    this.#classes = classes;
  }

  pushGlobal(module: string, name: string): void {
    this.push(resolveGlobal(module, name, this.#classes));
  }

  /** The number of objects held, which is limited. */
  get size(): number {
    return this.#stack.length + this.#marks.length + this.#memo.size;
  }

  mark(): void {
    this.#marks.push(this.#stack.length);
  }

  memoize(index: number = this.#memo.size): void {
    this.#memo.set(index, this.top());
  }

  push(item: PickleItem): void {
    this.#stack.push(item);
  }

  pop(): PickleItem {
    this.top();
    return this.#stack.pop()!;
  }

  /** Returns the top of the stack above the last mark. */
  top(): PickleItem {
    const floor = this.#marks.at(-1) ?? 0;
    if (this.#stack.length <= floor) throw pickleError("its stack ran empty");
    return this.#stack.at(-1)!;
  }

  popMark(): PickleItem[] {
    const mark = this.#marks.pop();
    if (mark === undefined) throw pickleError("a mark is missing");
    return this.#stack.splice(mark);
  }

  popCount(count: number): PickleItem[] {
    const floor = this.#marks.at(-1) ?? 0;
    if (this.#stack.length - floor < count) throw pickleError("its stack ran empty");
    return this.#stack.splice(this.#stack.length - count);
  }

  recall(index: number): PickleItem {
    const item = this.#memo.get(index);
    if (item === undefined) throw pickleError(`the memo has no entry ${index}`);
    return item;
  }

  extend(items: readonly PickleItem[]): void {
    const list = this.top();
    if (list.kind !== "list" && list.kind !== "set") throw pickleError(`a ${list.kind} cannot be appended to`);
    for (const item of items) (list as MutableList).items.push(item);
  }

  setItems(items: readonly PickleItem[]): void {
    const dict = this.top();
    if (dict.kind !== "dict") throw pickleError(`a ${dict.kind} cannot be assigned to`);
    for (const pair of pairs(items)) (dict as MutableDict).entries.push(pair);
  }

  /** Makes an object without arguments, which has no attributes yet. */
  newObject(): void {
    const [args, callee] = [this.pop(), this.top()];
    if (callee.kind === "class" && args.kind === "tuple" && args.items.length === 0) {
      this.pop();
      this.push({ kind: "object", className: callee.name, attributes: [] });
    } else {
      this.push(args);
      this.reduce();
    }
  }

  reduce(): void {
    const [callee, args] = this.popCount(2);
    if (callee?.kind === "class") throw refusedGlobal(callee.name);
    if (callee?.kind !== "global" || callee.call === undefined || args?.kind !== "tuple") {
      throw pickleError(`it calls a ${callee?.kind}, which is not callable`);
    }
    for (const arg of args.items) {
      if (arg.kind === "string") this.#work += arg.value.length;
      else if (arg.kind === "tuple" || arg.kind === "list") this.#work += arg.items.length;
    }
    checkLimit("pickleWork", this.#work, "pickle");
    this.push(callee.call(args.items));
  }

  /** Sets an object's attributes. Dictionaries carry unused module metadata there. Other items cannot have state. */
  build(): void {
    const state = this.pop();
    const target = this.top();
    if (target.kind === "dict" || target.kind === "tensor") return;
    if (target.kind === "object" && state.kind === "dict") {
      const { attributes } = target as unknown as MutableObject;
      for (const [key, value] of state.entries) attributes.push([text(key), value]);
      return;
    }
    throw formatError("format.pickle", {
      what: `the pickle is damaged: it sets the state of ${target.kind === "object" ? "an object to no dict" : `a ${target.kind}`}`,
      advice: "the file is damaged, or not written by torch.save",
    });
  }
}

/** Groups alternating keys and values into pairs. */
export function pairs(items: readonly PickleItem[]): [PickleItem, PickleItem][] {
  if (items.length % 2 !== 0) throw pickleError("a dictionary item has no value");
  return Array.from({ length: items.length / 2 }, (_, index) => [items[2 * index]!, items[2 * index + 1]!]);
}
