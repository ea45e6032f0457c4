/** Something that `pnpm check` refuses. */
export interface Problem {
  /** The file, package or entry point. */
  readonly where: string;
  readonly what: string;
  /** What it means, and what to do. */
  readonly advice: string;
}

/** One check of `pnpm check`. */
export interface Check {
  readonly name: string;
  /** Facts worth seeing when all is well go to `report`. */
  run(report: (line: string) => void): Promise<readonly Problem[]> | readonly Problem[];
}
