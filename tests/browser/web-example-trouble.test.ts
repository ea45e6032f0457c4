import { expect, test } from "vitest";
import { editFixture } from "../src/edit-fixture.ts";
import { describePage } from "./page.ts";
import { digitIsReady, drawDigit, runModel, section } from "./web-page.ts";

describePage("the example page in trouble", { app: "examples/web", webgpu: true }, (ready) => {
  const openFile = async (name: string, bytes: Uint8Array): Promise<void> => {
    await ready.page.locator("#tab-open").click();
    const buffer = Buffer.from(bytes);
    await ready.page.locator("#model-file").setInputFiles({ name, mimeType: "application/octet-stream", buffer });
  };

  test("leads from a program that nothing can run to the ops that are missing", async () => {
    const { page } = ready;
    await openFile(
      "mine.pt2",
      await editFixture("torch-2.13/mlp", "torch.ops.aten.linear.default", "torch.ops.my.op.default"),
    );
    const run = section(page, "run");
    await run.getByText("WebGPU lacks 1 op of this program.").waitFor();
    expect(await run.getByRole("button", { name: "Run", exact: true }).isDisabled()).toBe(true);
    await run.getByRole("button", { name: "See which ops, and where" }).click();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("title-ops");
    // Both lack the same, which is said once.
    const lacking = section(page, "ops").getByRole("table", { name: "What WebGPU and WebAssembly lack" });
    expect(await lacking.locator("tbody tr").count()).toBe(1);
    expect(await lacking.locator("tbody").textContent()).toContain("my::op");
  });

  test("names a broken file by its name, and speaks in sentences", async () => {
    const { page } = ready;
    await page.goto(`${ready.site.url}/?model=/fixtures/programs/no%20such.pt2`);
    const card = page.getByRole("alert");
    await card.getByText("no such.pt2 cannot be opened").waitFor();
    expect(await card.textContent()).toMatch(/The server answered 404.*What to doCheck the address/s);
  });

  test("asks again for a size that is not allowed", async () => {
    const { page } = ready;
    await page.goto(`${ready.site.url}/?model=/fixtures/torch-2.13/dynamic.pt2`);
    const run = section(page, "run");
    await run.getByRole("radio", { name: "Random inputs" }).check();
    const size = run.locator("input[type=number]").first();
    for (const wrong of ["999", "", "2.5"]) {
      await size.fill(wrong);
      await run.getByRole("button", { name: "Run", exact: true }).click();
      expect(await size.evaluate((field) => field.matches(":invalid:focus"))).toBe(true);
    }
    expect(await run.locator(".results").textContent()).toBe("");
    await size.fill("5");
    expect(await runModel(page)).toHaveLength(3);
  });

  test("goes on with another device when the first one is lost", async () => {
    const { page } = ready;
    await page.addInitScript(() => {
      const { requestDevice } = GPUAdapter.prototype;
      const devices: GPUDevice[] = [];
      const loseDevices = (): void => {
        for (const device of devices) device.destroy();
      };
      Object.assign(globalThis, { loseDevices });
      GPUAdapter.prototype.requestDevice = async function (...args) {
        const device = await requestDevice.apply(this, args);
        devices.push(device);
        return device;
      };
    });
    const lose = (): Promise<void> =>
      page.evaluate(() => (globalThis as unknown as { readonly loseDevices: () => void }).loseDevices());
    await page.reload();
    await digitIsReady(page);
    await lose();
    await drawDigit(page, 4);
    await page.locator("#digit-answer", { hasText: "4" }).waitFor();
    await page.goto(`${ready.site.url}/?model=/fixtures/torch-2.13/mlp.pt2`);
    await section(page, "run").waitFor();
    const before = await runModel(page);
    await lose();
    expect(await runModel(page)).toEqual(before);
  });
});
