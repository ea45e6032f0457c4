/** A JSON value as `JSON.parse` gives it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Version of the document; it changes when a reader of the old form could misread the new one. */
export const IR_VERSION = 1;
