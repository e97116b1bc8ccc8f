/** The short notation that MemPalace users know, for `mempalace_get_aaak_spec`. Nothing here reads or needs it. */
export const AAAK_SPEC = `AAAK is a short notation for notes to oneself, such as diary entries. Any model reads it without being taught; no
tool here needs it. It loses words, so it is for what you have understood: quote what must stay exact.

Fields, between pipes, as many as help:
  who | what | why it matters | how it felt | when
- Names: three capitals for people who come up often (ALC = Alice, SHP = the shop); say once what they stand for.
- A list of names: ALC+BOB. A relation or a change: ALC->SHP, 443->8443.
- Feeling, between asterisks: *relief*, *doubt*.
- Weight: one to five stars, ★ to ★★★★★.
- Days in ISO: 2026-03-01. So many times: 3x.
- What kind of note it is, in front: facts:, events:, discoveries:, preferences:, advice:.
- Flags, in capitals at the end: DECISION, PIVOT, ORIGIN, CORE, SENSITIVE, TECHNICAL.

Example:
  events: SHP login | cookie Strict->Lax, the redirect lost it | *relief* ★★★ | 2026-03-01 | DECISION
  advice: ask ALC before touching rounding | broke 2x`;
