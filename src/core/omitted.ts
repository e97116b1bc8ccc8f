/** The texts that agents send for arguments that they omit. */
export const OMITTED = /^\s*(?:null|undefined)?\s*$/i;
