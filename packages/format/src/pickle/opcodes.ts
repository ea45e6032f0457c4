import { normalizeInt } from "../json/parse-json.ts";
import { NONE, type PickleItem, pickleError, text } from "./pickle-items.ts";
import { type PickleMachine, pairs } from "./pickle-machine.ts";

/** The opcode that ends a pickle. */
export const STOP = 0x2e;
const NEWEST_PROTOCOL = 5;

const proto = (vm: PickleMachine): void => {
  if (vm.input.u8() > NEWEST_PROTOCOL) throw pickleError(`its protocol is newer than ${NEWEST_PROTOCOL}`);
};

const string = (vm: PickleMachine, length: number): void => vm.push({ kind: "string", value: vm.input.utf8(length) });
const bytes = (vm: PickleMachine, length: number): void => vm.push({ kind: "bytes", value: vm.input.bytes(length) });
const int = (vm: PickleMachine, value: number | bigint): void => vm.push({ kind: "int", value });
const tuple = (vm: PickleMachine, items: PickleItem[]): void => vm.push({ kind: "tuple", items } as PickleItem);

const stackGlobal = (vm: PickleMachine): void => {
  const [module, name] = vm.popCount(2);
  vm.pushGlobal(text(module), text(name));
};

/** The opcodes that torch.save writes under protocols 2 to 5, and the others that plain containers need. */
export const OPCODES: ReadonlyMap<number, (vm: PickleMachine) => void> = new Map([
  [0x80 /* PROTO */, proto],
  [0x95 /* FRAME */, (vm) => void vm.input.skip(8)],
  [0x28 /* MARK */, (vm) => vm.mark()],
  [0x30 /* POP */, (vm) => void vm.pop()],
  [0x31 /* POP_MARK */, (vm) => void vm.popMark()],
  [0x32 /* DUP */, (vm) => vm.push(vm.top())],
  [0x4e /* NONE */, (vm) => vm.push(NONE)],
  [0x88 /* NEWTRUE */, (vm) => vm.push({ kind: "bool", value: true })],
  [0x89 /* NEWFALSE */, (vm) => vm.push({ kind: "bool", value: false })],
  [0x4a /* BININT */, (vm) => int(vm, vm.input.i32())],
  [0x4b /* BININT1 */, (vm) => int(vm, vm.input.u8())],
  [0x4d /* BININT2 */, (vm) => int(vm, vm.input.u16())],
  [0x8a /* LONG1 */, (vm) => int(vm, normalizeInt(vm.input.long(vm.input.u8())))],
  [0x47 /* BINFLOAT */, (vm) => vm.push({ kind: "float", value: vm.input.f64() })],
  [0x58 /* BINUNICODE */, (vm) => string(vm, vm.input.u32())],
  [0x8c /* SHORT_BINUNICODE */, (vm) => string(vm, vm.input.u8())],
  [0x8d /* BINUNICODE8 */, (vm) => string(vm, vm.input.u64())],
  [0x55 /* SHORT_BINSTRING */, (vm) => string(vm, vm.input.u8())],
  [0x54 /* BINSTRING */, (vm) => string(vm, vm.input.u32())],
  [0x43 /* SHORT_BINBYTES */, (vm) => bytes(vm, vm.input.u8())],
  [0x42 /* BINBYTES */, (vm) => bytes(vm, vm.input.u32())],
  [0x8e /* BINBYTES8 */, (vm) => bytes(vm, vm.input.u64())],
  [0x96 /* BYTEARRAY8 */, (vm) => bytes(vm, vm.input.u64())],
  [0x29 /* EMPTY_TUPLE */, (vm) => tuple(vm, [])],
  [0x85 /* TUPLE1 */, (vm) => tuple(vm, vm.popCount(1))],
  [0x86 /* TUPLE2 */, (vm) => tuple(vm, vm.popCount(2))],
  [0x87 /* TUPLE3 */, (vm) => tuple(vm, vm.popCount(3))],
  [0x74 /* TUPLE */, (vm) => tuple(vm, vm.popMark())],
  [0x5d /* EMPTY_LIST */, (vm) => vm.push({ kind: "list", items: [] })],
  [0x6c /* LIST */, (vm) => vm.push({ kind: "list", items: vm.popMark() } as PickleItem)],
  [0x61 /* APPEND */, (vm) => vm.extend(vm.popCount(1))],
  [0x65 /* APPENDS */, (vm) => vm.extend(vm.popMark())],
  [0x8f /* EMPTY_SET */, (vm) => vm.push({ kind: "set", items: [] })],
  [0x91 /* FROZENSET */, (vm) => vm.push({ kind: "set", items: vm.popMark() } as PickleItem)],
  [0x90 /* ADDITEMS */, (vm) => vm.extend(vm.popMark())],
  [0x7d /* EMPTY_DICT */, (vm) => vm.push({ kind: "dict", entries: [] })],
  [0x64 /* DICT */, (vm) => vm.push({ kind: "dict", entries: pairs(vm.popMark()) } as PickleItem)],
  [0x73 /* SETITEM */, (vm) => vm.setItems(vm.popCount(2))],
  [0x75 /* SETITEMS */, (vm) => vm.setItems(vm.popMark())],
  [0x68 /* BINGET */, (vm) => vm.push(vm.recall(vm.input.u8()))],
  [0x6a /* LONG_BINGET */, (vm) => vm.push(vm.recall(vm.input.u32()))],
  [0x71 /* BINPUT */, (vm) => vm.memoize(vm.input.u8())],
  [0x72 /* LONG_BINPUT */, (vm) => vm.memoize(vm.input.u32())],
  [0x94 /* MEMOIZE */, (vm) => vm.memoize()],
  [0x63 /* GLOBAL */, (vm) => vm.pushGlobal(vm.input.line(), vm.input.line())],
  [0x93 /* STACK_GLOBAL */, stackGlobal],
  [0x51 /* BINPERSID */, (vm) => vm.push(vm.persistentLoad(vm.pop()))],
  [0x52 /* REDUCE */, (vm) => vm.reduce()],
  [0x81 /* NEWOBJ */, (vm) => vm.newObject()],
  [0x62 /* BUILD */, (vm) => vm.build()],
]);
