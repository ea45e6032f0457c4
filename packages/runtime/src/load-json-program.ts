import { type ByteSource, openSafetensors } from "@pt2/format";
import { fromJson, type Json } from "@pt2/graph";
import { type LoadOptions, loadProgram } from "./load.ts";
import type { Model } from "./model.ts";
import { runtimeError } from "./runtime-errors.ts";
import { weightsFor } from "./weights-for.ts";

/** Loads a program that `toJson` of `@pt2/graph` wrote, with weights of a safetensors file. It owns both sources. */
export async function loadJsonProgram(
  document: ByteSource,
  weightFile: ByteSource,
  options: LoadOptions,
): Promise<Model> {
  const close = async (): Promise<void> => {
    await document.close?.();
    await weightFile.close?.();
  };
  return await loadProgram({ close }, options, async () => {
    try {
      const program = fromJson(await readJson(document));
      const customOps = program.customOps ?? null;
      const weights = weightsFor(program, await openSafetensors(weightFile), weightFile.name ?? "the weights");
      return {
        program: async () => program,
        weights: async () => weights,
        prefetch: async () => undefined,
        customOps: async () => customOps,
        close,
      };
    } catch (problem) {
      await close();
      throw problem;
    }
  });
}

async function readJson(source: ByteSource): Promise<Json> {
  const text = new TextDecoder().decode(await source.read(0, source.size));
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw runtimeError("runtime.program-json", {
      what: "The program is not JSON",
      where: source.name ?? "the program",
      advice:
        "with `weights`, the source is what `pt2 graph model.pt2 --format json` writes; a .pt2 file holds its weights",
      cause,
    });
  }
}
