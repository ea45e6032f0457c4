import { type DType, type TypedArray, tensor } from "@pt2/runtime";
import type { Page } from "playwright-core";
import type { Leaf } from "../src/difference.ts";

/** What is loaded in the page, and how. */
export interface InPage {
  /** Address of the model, or a file that the user chooses. */
  readonly source: string | { readonly file: string };
  /** @default true */
  readonly worker?: boolean;
}

/** A leaf as it enters and leaves the page: a tensor without its methods. */
type Plain =
  | { readonly dtype: DType; readonly shape: readonly number[]; readonly data: TypedArray }
  | Exclude<Leaf, object>;

/** Loads a model in the page and makes the calls one after the other, from leaves to leaves. */
export async function callInPage(
  page: Page,
  { source, worker = true }: InPage,
  calls: readonly (readonly Leaf[])[],
): Promise<readonly (readonly Leaf[])[]> {
  if (typeof source !== "string") await page.setInputFiles("input", source.file);
  const address = typeof source === "string" ? source : null;
  const answers = await page.evaluate(
    async ({ address, worker, calls }) => {
      const { load, tensor, wasm } = globalThis.pt2;
      const backend = wasm({ worker });
      const model = await load(address ?? document.querySelector("input")!.files![0]!, { backend });
      const answers: Plain[][] = [];
      for (const leaves of calls) {
        const outputs = await model.runFlat(
          leaves.map((leaf) =>
            typeof leaf === "object" && leaf !== null ? tensor(leaf.dtype, leaf.shape, leaf.data) : leaf,
          ),
        );
        answers.push(
          outputs.map((value) =>
            typeof value === "object" && value !== null
              ? { dtype: value.dtype, shape: value.shape, data: value.data! }
              : value,
          ),
        );
      }
      await backend.dispose();
      return answers;
    },
    { address, worker, calls: calls.map((leaves) => leaves.map(toPlain)) },
  );
  return answers.map((leaves) =>
    leaves.map((leaf) =>
      typeof leaf === "object" && leaf !== null ? tensor(leaf.dtype, leaf.shape, leaf.data) : leaf,
    ),
  );
}

function toPlain(leaf: Leaf): Plain {
  if (typeof leaf !== "object" || leaf === null) return leaf;
  const { dtype, shape, data } = leaf;
  return { dtype, shape, data };
}
