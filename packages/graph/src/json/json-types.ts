/** A JSON value, as `JSON.parse` returns it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** The version of the document; it changes when an old reader could misread the new form. */
export const IR_VERSION = 1;
