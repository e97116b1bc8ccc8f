/** Something worth telling: a drawer, a document, or a session. */
export interface Memory {
  kind: 'drawer' | 'document' | 'session' | 'diary';
  drawerId: string;
  sourceKey: string;
  sessionId: string | null;
  wing: string;
  room: string;
  title: string;
  directory: string | null;
  /** `YYYY-MM-DD` */
  day: string;
  priority: string | null;
  pinned: boolean;
  /** 0–1. */
  score: number;
  /** Its beginning; of a session its last question, empty when nobody asked. */
  text: string;
}

/** What the palace holds of a wing, or, where one wing was asked for, of a room of it. */
export interface Holding {
  name: string;
  sources: number;
  drawers: number;
}
