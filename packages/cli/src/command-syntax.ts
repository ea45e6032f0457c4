/** An option of a command. */
export interface OptionSpec {
  readonly name: string;
  /** A one-letter form: `-o`. */
  readonly short?: string;
  /** The name of its value in the help; a flag has none. */
  readonly value?: string;
  /** True if it may be given several times. */
  readonly multiple?: boolean;
  readonly help: string;
}

/** The operands and options of a command. */
export interface CommandSyntax {
  readonly name: string;
  /** The positional arguments, such as `FILE`. */
  readonly operands: readonly string[];
  readonly options: readonly OptionSpec[];
}
