import type { Pt2Error } from "@pt2/format";
import { el } from "./dom.ts";

/** Whether it is what every `@pt2` package throws, without loading one to find out. */
export function isPt2Error(problem: unknown): problem is Pt2Error {
  return problem instanceof Error && problem.name === "Pt2Error";
}

/** What went wrong, where, and what to do about it. `hint` adds what only the page knows. */
export function errorCard(title: string, problem: unknown, hint?: string): HTMLElement {
  const card = el("div", { class: "card error", role: "alert" }, el("p", { class: "title" }, title));
  if (isPt2Error(problem)) {
    card.append(
      el("p", { class: "what" }, sentence(problem.what)),
      el(
        "dl",
        { class: "facts" },
        ...row("Where", problem.where),
        ...row("What to do", problem.advice && sentence(problem.advice)),
        ...row("Note", hint),
        ...row("Code", problem.code),
      ),
    );
  } else {
    card.append(el("p", { class: "what" }, problem instanceof Error ? problem.message : String(problem)));
    if (hint !== undefined) card.append(el("p", {}, hint));
  }
  return card;
}

/** Messages of libraries begin small where they may be a part of another one; names of ops stay as they are. */
function sentence(text: string): string {
  return text.replace(/^[a-z]+(?=[ ,:;])/, (word) => word.replace(/^./, (letter) => letter.toUpperCase()));
}

function row(name: string, text: string | undefined): readonly HTMLElement[] {
  return text === undefined ? [] : [el("dt", {}, name), el("dd", {}, text)];
}
