import { checkLimit, LIMITS } from "../limits.ts";
import { Pt2Error } from "../pt2-error.ts";
import type { PyValue } from "../sample-inputs.ts";
import { OPCODES, STOP } from "./opcodes.ts";
import { checkResult, type PickleItem, pickleError } from "./pickle-items.ts";
import { PickleMachine } from "./pickle-machine.ts";

/**
 * Reads a pickle of protocol 2 to 5 without running code: globals come from an allow-list, and build plain values. With
 * `classes`, instances of other classes are read as what their attributes are.
 */
export function unpickle(
  bytes: Uint8Array,
  where: string,
  persistentLoad: (id: PickleItem) => PickleItem,
  classes = false,
): PyValue {
  checkLimit("pickleBytes", bytes.byteLength, where);
  try {
    return checkResult(run(new PickleMachine(bytes, persistentLoad, classes)));
  } catch (cause) {
    if (!(cause instanceof Pt2Error)) throw cause;
    const { code, what, advice, details } = cause;
    const place = cause.where === undefined ? where : `${where}: ${cause.where}`;
    throw new Pt2Error(code, { what, where: place, advice, details, cause: cause.cause });
  }
}

function run(vm: PickleMachine): PickleItem {
  for (let count = 0; ; count++) {
    const opcode = vm.input.u8();
    if (opcode === STOP) return vm.pop();
    const step = OPCODES.get(opcode);
    if (step === undefined) {
      throw pickleError(`the opcode 0x${opcode.toString(16)} at ${vm.input.at - 1} is not supported`);
    }
    step(vm);
    if (count > LIMITS.pickleOpcodes) checkLimit("pickleOpcodes", count, "pickle");
    if (vm.size > LIMITS.pickleObjects) checkLimit("pickleObjects", vm.size, "pickle");
  }
}
