import { Pt2Error } from "@pt2/format";
import { describe, expect, it } from "vitest";
import { loading, NotLoaded, onDemand } from "./not-loaded.ts";

describe("loading", () => {
  it("loading repeats the work until nothing is missing", async () => {
    const [first, second] = [
      onDemand("one", async () => ({ value: 1 })),
      onDemand("two", async () => ({ value: 2 })),
    ] as const;
    let began = 0;
    const sum = await loading(() => {
      began++;
      return first().value + second().value;
    });
    expect(sum).toBe(3);
    expect(began).toBe(3);
    expect(first().value).toBe(1);
  });

  it("loading also handles rejections, and passes on other errors", async () => {
    const late = onDemand("late", async () => ({ value: 3 }));
    expect(await loading(async () => late().value)).toBe(3);
    await expect(loading(() => Promise.reject(new RangeError("other")))).rejects.toThrow(RangeError);
  });

  it("loading rejects with a code if a part cannot be loaded", async () => {
    const gone = onDemand("the kernel of aten::mm", () => Promise.reject(new TypeError("Failed to fetch")));
    await expect(loading(gone)).rejects.toBeInstanceOf(Pt2Error);
    await expect(loading(gone)).rejects.toMatchObject({
      code: "registry.not-loaded",
      what: "The code for the kernel of aten::mm could not be loaded: Failed to fetch",
    });
  });

  it("loading ends even if what it loads does not help", async () => {
    const never = (): never => {
      throw new NotLoaded("nothing", async () => {});
    };
    await expect(loading(never)).rejects.toBeInstanceOf(NotLoaded);
  });
});
