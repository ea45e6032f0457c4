import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { publicPackages, ROOT } from "../workspace.ts";
import type { Check } from "./problem.ts";

/** What npm will receive: entry points that resolve, types beside them. Needs `pnpm build`. */
export const packedPackages: Check = {
  name: "packed packages",
  async run(report) {
    const packages = publicPackages();
    const found = await Promise.all(
      packages.map(async ({ folder, manifest }) => {
        const { messages } = await publint({ pkgDir: join(ROOT, folder), level: "warning" });
        return messages.map((message) => ({
          where: `${folder}/package.json`,
          what: formatMessage(message, { ...manifest }) ?? message.code,
          advice: "publint.dev/rules explains each rule; build first if a file is said to be missing",
        }));
      }),
    );
    report(`${packages.length} packages`);
    return found.flat();
  },
};
