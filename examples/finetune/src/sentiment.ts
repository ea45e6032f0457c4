import type { Backend } from "@pt2/backend";
import { type HostTensor, type ProgramSource, type Tensor, tensor } from "@pt2/runtime";
import { batchOf, type TextTokenizer } from "@pt2/search/tokens";
import { adamW, createTrainer, type Trainer } from "@pt2/train";
import type { Review } from "./reviews.ts";

/** Texts in a batch, and tokens of each. */
const [BATCH, WIDTH] = [16, 16];

/**
 * Prepares the encoder for training: its own weights stay, and low-rank adapters beside queries and values learn with
 * the layer above it.
 */
export async function startLearning(source: Required<ProgramSource>, backend: Backend): Promise<Trainer> {
  return await createTrainer(source, {
    backend,
    optimizer: adamW({ lr: 2e-3 }),
    loss: { loss: "aten::cross_entropy_loss" },
    lora: { rank: 4, match: (name) => /self\.(query|value)\.weight$/.test(name) },
    train: (name) => name.startsWith("classifier."),
    shapes: { input_ids: [BATCH, WIDTH], attention_mask: [BATCH, WIDTH] },
  });
}

/** Returns batches of texts with their labels; each text comes once in a round, and rounds do not end. */
export function* batchesOf(
  reviews: readonly Review[],
  tokenizer: TextTokenizer,
  random: () => number = Math.random,
): Generator<readonly HostTensor[], never, void> {
  for (;;) {
    const mixed = reviews.map((review) => ({ review, key: random() })).sort((a, b) => a.key - b.key);
    for (let first = 0; first + BATCH <= mixed.length; first += BATCH) {
      const some = mixed.slice(first, first + BATCH).map(({ review }) => review);
      const labels = some.map(({ label }) => label);
      yield [
        ...inputsOf(
          some.map(({ text }) => text),
          tokenizer,
        ),
        tensor("int64", [BATCH], labels),
      ];
    }
  }
}

/** Returns for each text how sure the model is that it praises, from 0 to 1. */
export async function praiseIn(
  trainer: Pick<Trainer, "model">,
  reviews: readonly Pick<Review, "text">[],
  tokenizer: TextTokenizer,
): Promise<readonly number[]> {
  const texts = reviews.map(({ text }) => text);
  await using model = await trainer.model();
  const logits = await model.forward<Tensor<"float32">>(...inputsOf(texts, tokenizer));
  const data = await logits.read();
  logits.dispose();
  return texts.map((_, i) => 1 / (1 + Math.exp(data[2 * i]! - data[2 * i + 1]!)));
}

/** The share of texts that are told apart rightly. */
export function accuracyOf(praise: readonly number[], reviews: readonly Review[]): number {
  return praise.filter((sure, i) => sure > 0.5 === (reviews[i]!.label === 1)).length / reviews.length;
}

function inputsOf(texts: readonly string[], tokenizer: TextTokenizer): readonly [HostTensor, HostTensor] {
  const { input_ids, attention_mask } = batchOf(
    texts.map((text) => tokenizer.encode(text).slice(0, WIDTH)),
    WIDTH,
  );
  return [input_ids, attention_mask];
}
