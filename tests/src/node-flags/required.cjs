globalThis.required = true;
