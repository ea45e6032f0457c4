/** An option of a command. */
export interface OptionSpec {
  readonly name: string;
  /** One letter that stands for it: `-o`. */
  readonly short?: string;
  /** Name of its value in the help; a flag has none. */
  readonly value?: string;
  /** May be given several times. */
  readonly multiple?: boolean;
  readonly help: string;
}

/** What may follow the name of a command. */
export interface CommandSyntax {
  readonly name: string;
  /** Positional arguments, such as `FILE`. */
  readonly operands: readonly string[];
  readonly options: readonly OptionSpec[];
}
