/** MemPalace's short notation, for `mempalace_get_aaak_spec`. The toolkit itself does not use it. */
export const AAAK_SPEC = `AAAK is a short notation for notes to oneself, such as diary entries. Any model reads it without instructions; no
tool here needs it. It loses words: quote everything that must stay exact.

Fields, between pipes, as many as help:
  who | what | why it matters | how it felt | when
- Names: three capitals for frequent people (ALC = Alice, SHP = the shop); define each once.
- A list of names: ALC+BOB. A relation or a change: ALC->SHP, 443->8443.
- Feeling, between asterisks: *relief*, *doubt*.
- Weight: one to five stars, ★ to ★★★★★.
- Days in ISO: 2026-03-01. Repetitions: 3x.
- Kind of note, in front: facts:, events:, discoveries:, preferences:, advice:.
- Flags, in capitals at the end: DECISION, PIVOT, ORIGIN, CORE, SENSITIVE, TECHNICAL.

Example:
  events: SHP login | cookie Strict->Lax, the redirect lost it | *relief* ★★★ | 2026-03-01 | DECISION
  advice: ask ALC before touching rounding | broke 2x`;
