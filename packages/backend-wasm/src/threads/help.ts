import { MATH } from "../codegen/math-imports.ts";
import { boardOf, type Callee, takePart, WORD } from "./board.ts";
import type { ToHelper } from "./helper-messages.ts";
import { type ProcessorOf, Seat } from "./seat.ts";
import { Spin } from "./spin.ts";

interface Model {
  readonly memory: WebAssembly.Memory;
  readonly modules: WebAssembly.Exports[];
  readonly functions: Callee[];
}

/**
 * Makes this thread a helper: it takes parts of steps until it is terminated. `listen` gives it the messages of the
 * thread that hands them out; while it waits for work it leaves none unread.
 */
export function help(
  buffer: SharedArrayBuffer,
  helper: number,
  listen: (receive: (message: ToHelper) => void) => void,
  processorOf: ProcessorOf | null = null,
): void {
  const board = boardOf(buffer);
  const { words } = board;
  const models = new Map<number, Model>();
  const functionsOf = (model: number): readonly Callee[] => models.get(model)!.functions;
  const spin = new Spin();
  const seat = new Seat(board, processorOf);
  let received = 0;
  const staysAwake = (): boolean => Atomics.load(words, WORD.awake) !== 0;
  const hasMail = (): boolean => Atomics.load(words, WORD.mail + helper) !== received;

  const take = (open: number): boolean => {
    Atomics.store(words, WORD.busy + helper, 1);
    const taken = takePart(board, open, seat.index + 1, functionsOf);
    Atomics.store(words, WORD.busy + helper, 0);
    return taken;
  };
  const sleepUntil = (hasNews: () => boolean, open: number): void => {
    // Said before it looks once more: who has news after that sees it.
    Atomics.add(words, WORD.asleep, 1);
    while (!hasNews()) Atomics.wait(words, WORD.open, open);
    Atomics.sub(words, WORD.asleep, 1);
  };
  const work = (): void => {
    for (;;) {
      const call = Atomics.load(words, WORD.call);
      const open = Atomics.load(words, WORD.open);
      // In this order: what the parts of this announcement call was posted before it.
      if (hasMail()) return;
      const hasParts = (open & 0xff) > 0;
      if ((hasParts || staysAwake()) && !seat.isTaken && !seat.take()) {
        Atomics.wait(words, WORD.call, call);
        continue;
      }
      if (hasParts && take(open)) continue;
      const hasNews = (): boolean => Atomics.load(words, WORD.open) !== open;
      if (!spin.until(hasNews, staysAwake)) sleepUntil(hasNews, open);
    }
  };
  listen((message) => {
    received++;
    // What a helper could not link it cannot call: it then waits for its end, and the others compute.
    try {
      learn(models, message);
    } catch {
      received = Number.NaN;
    }
    if (!hasMail()) work();
  });
}

function learn(models: Map<number, Model>, message: ToHelper): void {
  switch (message.kind) {
    case "model":
      models.set(message.model, { memory: message.memory, modules: [], functions: [] });
      return;
    case "forget":
      models.delete(message.model);
      return;
    case "drop": {
      const { modules, functions } = models.get(message.model)!;
      delete functions[message.index];
      if (message.module !== null) delete modules[message.module];
      return;
    }
    case "module": {
      const { memory, modules } = models.get(message.model)!;
      const imports = { env: { memory }, math: MATH as WebAssembly.ModuleImports };
      modules[message.module] = new WebAssembly.Instance(message.code, imports).exports;
      return;
    }
    case "function": {
      const { modules, functions } = models.get(message.model)!;
      functions[message.index] = modules[message.module]![message.name] as Callee;
    }
  }
}
