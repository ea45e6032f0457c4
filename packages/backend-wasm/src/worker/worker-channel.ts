import type { Progress } from "@pt2/backend";
import type { Pt2Error, SourceOrigin, Storage } from "@pt2/format";
import { expectStorages } from "@pt2/format";
import type { Threads } from "../threads/thread-count.ts";
import { wasmError } from "../wasm-errors.ts";
import type { Calls, FromWorker, Method, RunArgs, ToWorker, WireValue } from "./protocol.ts";
import type { RuleAnswers, RuleQuestion } from "./rule-messages.ts";
import type { RunSlot } from "./run-slot.ts";
import type { SlotCaller } from "./slot-caller.ts";
import { fromWireError, toWireError } from "./wire-error.ts";
import { transfersOf } from "./wire-values.ts";

/** A started worker, whichever kind the platform has. */
export interface WorkerHandle {
  post(message: ToWorker, transfer: readonly ArrayBuffer[]): void;
  listen(receive: (message: FromWorker) => void, failed: (error: unknown) => void): void;
  /** The origins that the worker can read by itself; it asks the calling thread for the bytes of others. */
  readonly reads: SourceOrigin["kind"];
  /** Keeps the process alive for the worker, or not; it does nothing in a browser. */
  hold(alive: boolean): void;
  terminate(): Promise<void>;
}

/** The caller's data about an executable in the worker. */
export interface RemoteExecutable {
  /** Answers the worker's questions about ops of users; absent where there are none. */
  readonly answer?: ((question: RuleQuestion) => Promise<RuleAnswers>) | undefined;
  readonly storages: ReadonlyMap<string, Storage>;
  readonly onProgress: ((progress: Progress) => void) | undefined;
  /** Ends the reads of a load that was aborted; a loaded model has none. */
  readonly signal?: AbortSignal | undefined;
}

interface Pending {
  readonly method: Method;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

const STOPPED = {
  what: "The worker that computes has stopped",
  advice: "Load the model again; wasm({ worker: false }) computes on the calling thread.",
};
const NOT_STARTED = {
  what: "The worker that should compute could not be started",
  advice:
    "In a page see that the bundler has made the worker's script and that the page may load it (README, In a page); in Node under --permission add --allow-worker; wasm({ worker: false }) needs no worker.",
};

const COMPUTING: ReadonlySet<Method> = new Set<Method>(["run", "profile", "warmup"]);

/** Calls into a worker, and its calls back for weights. */
export class WorkerChannel {
  readonly executables: Map<number, RemoteExecutable> = new Map();
  readonly #worker: WorkerHandle;
  #slot: SlotCaller | null = null;
  readonly #pending = new Map<number, Pending>();
  /** Functions that report that nothing more of what the worker expected will be read. */
  readonly #expected = new Map<number, () => void>();
  #next = -1;
  #ready = false;
  #failure: Pt2Error | null = null;

  /** Starts a worker. */
  static open(start: () => WorkerHandle, { count, why }: Pick<Threads, "count" | "why">): WorkerChannel {
    let worker: WorkerHandle;
    try {
      worker = start();
    } catch (cause) {
      throw wasmError("wasm.worker-failed", { ...NOT_STARTED, cause });
    }
    const channel = new WorkerChannel(worker);
    worker.post({ kind: "threads", count, why }, []);
    if (typeof SharedArrayBuffer !== "undefined") {
      // Without it, all runs are messages.
      import("./slot-caller.ts").then(({ SlotCaller }) => channel.openSlot(SlotCaller)).catch(() => {});
    }
    return channel;
  }

  constructor(worker: WorkerHandle) {
    this.#worker = worker;
    worker.listen(
      (message) => void this.#receive(message),
      (cause) => {
        this.#fail(cause);
        void worker.terminate();
      },
    );
    worker.hold(false);
  }

  /** Whether the worker has stopped. */
  get failed(): boolean {
    return this.#failure !== null;
  }

  /** The origins that the worker can read by itself. */
  get reads(): SourceOrigin["kind"] {
    return this.#worker.reads;
  }

  /** Whether a model computes in the worker, which then answers nothing else. */
  get computes(): boolean {
    return [...this.#pending.values()].some(({ method }) => COMPUTING.has(method));
  }

  call<M extends Method>(
    method: M,
    args: Parameters<Calls[M]>[0],
    transfer: readonly ArrayBuffer[] = [],
  ): Promise<ReturnType<Calls[M]>> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    const id = this.#newId();
    const answer = this.#answerTo(id, method);
    try {
      this.#post({ kind: "call", id, method, args }, transfer);
    } catch (error) {
      this.#take(id)?.reject(error);
    }
    return answer;
  }

  /** Opens a slot for runs. */
  openSlot(Slot: typeof SlotCaller, slot?: RunSlot): void {
    const post = (message: ToWorker) => this.#post(message);
    this.#slot = new Slot(post, (id, values) => this.#take(id)?.resolve(values), slot);
  }

  /**
   * Runs a program. Where nothing else is under way, the run goes through the slot: nothing can overtake it, and it
   * overtakes nothing.
   */
  run(args: RunArgs): Promise<readonly WireValue[]> {
    const isAlone = this.#pending.size === 0 && this.#failure === null;
    const id = this.#newId();
    if (this.#slot === null || !isAlone || !this.#slot.ask(id, args))
      return this.call("run", args, transfersOf(args.inputs));
    const answer = this.#answerTo(id, "run");
    this.#slot.compute(args);
    return answer;
  }

  /** Fails at once what waits: a pending answer comes too late. Resolves when the worker has ended. */
  async terminate(reason: Pt2Error): Promise<void> {
    this.#failure ??= reason;
    this.#fail(reason);
    await this.#worker.terminate();
  }

  async #receive(message: FromWorker): Promise<void> {
    switch (message.kind) {
      case "ready":
        this.#ready = true;
        return;
      case "answered":
        this.#slot?.answered();
        return;
      case "result":
        this.#take(message.id)?.resolve(message.value);
        return;
      case "error":
        this.#take(message.id)?.reject(fromWireError(message.error));
        return;
      case "progress":
        this.executables.get(message.executable)?.onProgress?.(message.progress);
        return;
      case "expect-storages":
        this.#expect(message.expected, message.executable, message.storages);
        return;
      case "expect-no-more":
        this.#expected.get(message.expected)?.();
        this.#expected.delete(message.expected);
        return;
      case "ask-rule":
        await this.#answer(message.questionId, message.executable, message.question);
        return;
      case "read-storage":
        await this.#sendStorage(message.read, message.executable, message.storage);
    }
  }

  /** A load that ended meanwhile expects nothing. */
  #expect(expected: number, executable: number, ids: readonly string[]): void {
    const remote = this.executables.get(executable);
    if (remote === undefined || remote.signal?.aborted) return;
    const storages = ids.flatMap((id) => remote.storages.get(id) ?? []);
    this.#expected.set(expected, expectStorages(storages, remote.signal));
  }

  async #answer(questionId: number, executable: number, question: RuleQuestion): Promise<void> {
    try {
      const answers = await this.executables.get(executable)!.answer!(question);
      this.#post({ kind: "rule-answer", questionId, answers });
    } catch (error) {
      this.#post({ kind: "rule-failed", questionId, error: toWireError(error) });
    }
  }

  async #sendStorage(read: number, executable: number, id: string): Promise<void> {
    try {
      const { storages, signal } = this.executables.get(executable)!;
      const storage = storages.get(id)!;
      signal?.throwIfAborted();
      const bytes = new Uint8Array(storage.nbytes);
      const given = await storage.read({ into: bytes, signal });
      if (given.buffer !== bytes.buffer) bytes.set(given);
      this.#post({ kind: "storage", read, bytes: bytes.buffer }, [bytes.buffer]);
    } catch (error) {
      this.#post({ kind: "storage-failed", read, error: toWireError(error) });
    }
  }

  /** Ids are 32-bit integers, as the slot holds them. */
  #newId(): number {
    this.#next = (this.#next + 1) | 0;
    return this.#next;
  }

  #answerTo<M extends Method>(id: number, method: M): Promise<ReturnType<Calls[M]>> {
    this.#worker.hold(true);
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { method, resolve: resolve as (value: unknown) => void, reject });
    });
  }

  #post(message: ToWorker, transfer: readonly ArrayBuffer[] = []): void {
    this.#slot?.slot.countPosted();
    this.#worker.post(message, transfer);
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    // An answer that comes too late changes nothing: the process waits for a worker that ends.
    if (pending !== undefined && this.#pending.size === 0) this.#worker.hold(false);
    return pending;
  }

  /** Fails everything that waits with one reason, since the worker has stopped. */
  #fail(cause: unknown): void {
    this.#failure ??= wasmError("wasm.worker-failed", {
      ...(this.#ready ? STOPPED : NOT_STARTED),
      cause,
    });
    for (const { reject } of this.#pending.values()) reject(this.#failure);
    this.#pending.clear();
    for (const enough of this.#expected.values()) enough();
    this.#expected.clear();
  }
}
