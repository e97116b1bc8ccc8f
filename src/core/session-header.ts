/** The first line of a session's transcript, as `headerLine` of the session feeder writes it. */
export const SESSION_HEADER = /^\[session: .* \| \d{4}-\d{2}-\d{2}(?: \| [^\n]*)?\]$/;
