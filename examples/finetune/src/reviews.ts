/** A sentence, and whether it praises: 1, or blames: 0. */
export interface Review {
  readonly text: string;
  readonly label: 0 | 1;
}

/** Words of praise and of blame. */
interface Words {
  readonly things: readonly string[];
  readonly good: readonly string[];
  readonly bad: readonly string[];
}

// biome-ignore format: lists of words
export const LEARNED: Words = {
  things: [
    "the soup", "the hotel room", "this film", "the second chapter", "our guide", "the keyboard", "the train ride",
    "their new album", "the staff", "the battery", "this jacket", "the concert", "the garden", "the update",
  ],
  good: [
    "wonderful", "excellent", "a joy", "great", "lovely", "superb", "charming", "perfect", "very good", "delightful",
    "fantastic", "worth every cent",
  ],
  bad: [
    "terrible", "awful", "a waste of money", "bad", "dreadful", "disappointing", "horrible", "boring", "very poor",
    "a mess", "unpleasant", "broken",
  ],
};

// biome-ignore format: lists of words
export const TESTED: Words = {
  things: ["the pizza", "my phone", "the museum", "the lecture", "his voice", "the beach", "the recipe", "the app"],
  good: ["brilliant", "amazing", "a pleasure", "outstanding", "impressive", "beautiful"],
  bad: ["disgusting", "a disaster", "useless", "annoying", "ugly", "a failure"],
};

const FRAMES: readonly ((thing: string, word: string) => string)[] = [
  (thing, word) => `${capital(thing)} was ${word}.`,
  (thing, word) => `I must say that ${thing} was ${word}.`,
  (thing, word) => `We found that ${thing} is ${word}.`,
];

/** Sentences to learn from, and sentences made of other things and other words. */
export const learned: readonly Review[] = sentences(LEARNED);
export const tested: readonly Review[] = sentences(TESTED);

function sentences({ things, good, bad }: Words): readonly Review[] {
  return things.flatMap((thing) =>
    [good, bad].flatMap((words, blame) =>
      words.map((word, i): Review => ({ text: FRAMES[i % FRAMES.length]!(thing, word), label: blame === 0 ? 1 : 0 })),
    ),
  );
}

function capital(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1);
}
