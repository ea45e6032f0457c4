import type { Model, Tensor, Value } from "@pt2/runtime";
import { callInputs, staticLength } from "./call-inputs.ts";
import { generateError } from "./generate-errors.ts";
import type { LanguageProgram } from "./language-program.ts";

/** A loaded language program. */
export interface Part extends Pick<LanguageProgram, "roles" | "returned" | "queries" | "least"> {
  readonly model: Model;
}

/** Reads texts, token by token, and tells what comes next. */
export interface Decoder {
  /** The most tokens that a text has; null: as many as there is memory for. */
  readonly capacity: number | null;
  /**
   * Starts with an empty text, of which an encoder has read its inputs if the model has one. Throws `generate.busy` where the
   * model keeps one text, and that is being read.
   */
  begin(encoded?: ReadonlyMap<string, Value>): Text;
  dispose(): Promise<void>;
}

/** A text that is being read. */
export interface Text {
  /** Reads more of it, and returns the logits of what comes next, float32 [1, vocabulary], which the caller owns. */
  read(tokens: readonly number[], signal: AbortSignal | undefined): Promise<Tensor>;
  /** Frees what is kept of it. */
  end(): void;
}

/** Reads with programs that take what is known of the text before and return it: the first call, and all further ones. */
export function passingDecoder(first: Part, next: Part, capacity: number | null): Decoder {
  return {
    capacity,
    begin(encoded = new Map()) {
      let text: readonly number[] = [];
      let caches: ReadonlyMap<string, Value> = new Map();
      const replace = (by: ReadonlyMap<string, Value>): void => {
        const kept = new Set(by.values());
        for (const each of caches.values()) if (!kept.has(each)) free(each);
        caches = by;
      };
      return {
        async read(tokens, signal) {
          let logits: Tensor | undefined;
          for (let unread = tokens; unread.length > 0; ) {
            // A text that is too short for further calls begins again.
            if (text.length > 0 && text.length + 1 < next.least) {
              unread = [...text, ...unread];
              text = [];
              replace(new Map());
            }
            const part = text.length === 0 ? first : next;
            const some = unread.slice(0, part.queries ?? undefined);
            requireRoom(text.length + some.length, staticLength(caches));
            logits?.dispose?.();
            const inputs = callInputs(part.roles, { tokens: some, past: text.length, caches, encoded });
            const results = await part.model.runFlat(inputs, signal === undefined ? {} : { signal });
            logits = results[0] as Tensor;
            replace(new Map([...caches, ...part.returned.map((name, i) => [name, results[i + 1]!] as const)]));
            text = [...text, ...some];
            unread = unread.slice(some.length);
          }
          return logits!;
        },
        end: () => replace(new Map()),
      };
    },
    dispose: () => disposeAll(first.model, next.model),
  };
}

/**
 * Reads with a program that keeps what it knows of a text, one at a time. Of a text that begins as the one before, such as a
 * conversation that goes on, the beginning is known.
 */
export function keepingDecoder(part: Part, capacity: number | null): Decoder {
  const known: number[] = [];
  let isBusy = false;
  return {
    capacity,
    begin() {
      if (isBusy) {
        throw generateError("generate.busy", {
          what: "The model keeps one text at a time, and is generating one",
          advice:
            "finish the other one, or leave its `for await` loop; load the model again for texts at the same time",
        });
      }
      isBusy = true;
      let past = 0;
      return {
        async read(tokens, signal) {
          let logits: Tensor | undefined;
          // The last token is read in any case: what comes next is not kept.
          let at = past === 0 ? sameLength(known, tokens.slice(0, -1)) : 0;
          past += at;
          while (at < tokens.length) {
            const some = tokens.slice(at, part.queries === null ? undefined : at + part.queries);
            logits?.dispose?.();
            // A run that fails changes nothing, but what lies behind is of another text now.
            known.length = past;
            const inputs = callInputs(part.roles, { tokens: some, past, caches: new Map() });
            const results = await part.model.runFlat(inputs, signal === undefined ? {} : { signal });
            logits = results[0] as Tensor;
            for (const token of some) known.push(token);
            past += some.length;
            at += some.length;
          }
          return logits!;
        },
        end() {
          isBusy = false;
        },
      };
    },
    dispose: () => disposeAll(part.model),
  };
}

function sameLength(known: readonly number[], tokens: readonly number[]): number {
  const differs = tokens.findIndex((token, i) => token !== known[i]);
  return differs === -1 ? tokens.length : differs;
}

/** Reads with a program that keeps nothing: each call takes the whole text. */
export function wholeTextDecoder(part: Part, capacity: number | null): Decoder {
  return {
    capacity,
    begin() {
      let text: readonly number[] = [];
      return {
        async read(tokens, signal) {
          text = [...text, ...tokens];
          const inputs = callInputs(part.roles, { tokens: text, past: 0, caches: new Map() });
          const [logits] = await part.model.runFlat(inputs, signal === undefined ? {} : { signal });
          return logits as Tensor;
        },
        end: () => {},
      };
    },
    dispose: () => disposeAll(part.model),
  };
}

function requireRoom(tokens: number, room: number | undefined): void {
  if (room === undefined || tokens <= room) return;
  throw generateError("generate.length", {
    what: `The static cache has room for ${room} tokens, and the text has ${tokens}`,
    advice: "export with a larger `max_cache_len`, or with a cache that grows: without `generation_config`",
    details: { capacity: room },
  });
}

function free(value: Value): void {
  (value as Partial<Tensor> | null)?.dispose?.();
}

async function disposeAll(...models: readonly Model[]): Promise<void> {
  await Promise.all(models.map((model) => model.dispose()));
}
