import type { FiledProject } from '../../core/contract.js';
import type { FiledConversation, FiledSource } from '../../store/index.js';

type Kept = Pick<FiledSource, 'id' | 'wing' | 'mtimeMs' | 'hash' | 'versions'> &
  Partial<Pick<FiledSource, 'directory'>>;

/** What feeders ask of a palace before they stage: of one on this machine, or of one behind a named broker. */
export interface Known {
  projects: { all(): FiledProject[]; pathsOf(id: string): string[] };
  sources: {
    conversations(): Map<string, FiledConversation>;
    byKey(sourceKey: string): Kept | undefined;
    messagesOf(id: number): string[];
    messagesBelow(prefix: string): Iterable<{ sourceKey: string; messages: readonly string[] }>;
    ofKind(kind: FiledSource['kind']): Map<string, Pick<FiledSource, 'origin' | 'sourceKey'>>;
  };
  forgetting: { names(): Set<string>; keys(): Set<string> };
  runs: { lastComplete(command: string, scope: string): number | undefined };
}
