import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { Palace, palaceFile } from '../../src/store/index.js';
import { listen } from '../embedding/models/hub-server.js';

/** An embeddings endpoint on the loopback interface with several models; a test can delay their answers. */
export interface EmbeddingServer {
  /** Id of a model, `URL#name`. */
  model(name: string): string;
  /** Delays every answer of a model to a text that contains these words, until `release`. */
  hold(name: string, words: string): void;
  release(): void;
  /** Number of requests that wait for `release`. */
  held(): number;
  /** Milliseconds that each answer of a model takes. */
  delays: Record<string, number>;
  /** Texts that were sent to a model. */
  sent: Record<string, string[]>;
}

/** @param dimensions of the models, by name */
export async function embeddingServer(dimensions: Record<string, number>): Promise<EmbeddingServer> {
  const delays: Record<string, number> = {};
  const sent: Record<string, string[]> = {};
  let hold: { name: string; words: string } | undefined;
  let waiting: (() => void)[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const { input, model } = JSON.parse(body) as { input: string[]; model: string };
      sent[model] = [...(sent[model] ?? []), ...input];
      const data = input.map((text, index) => ({
        index,
        embedding: [...madeUpVector(model, text, dimensions[model] ?? 0)],
      }));
      const answer = () => setTimeout(() => response.end(JSON.stringify({ data })), delays[model] ?? 0);
      if (model === hold?.name && input.some((text) => text.includes(hold?.words ?? '')))
        waiting.push(answer);
      else answer();
    });
  });
  const url = await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    model: (name) => `${url}/v1#${name}`,
    hold(name, words) {
      hold = { name, words };
    },
    release() {
      hold = undefined;
      for (const answer of waiting) answer();
      waiting = [];
    },
    held: () => waiting.length,
    delays,
    sent,
  };
}

/** A unit vector that depends only on the name of a model and the text. */
export function madeUpVector(model: string, text: string, dimension: number): Float32Array {
  const vector = Float32Array.from({ length: dimension }, (_, i) => {
    const hash = createHash('sha256').update(`${model}\0${text}\0${i}`).digest();
    return hash.readUInt16LE() - 32_767.5;
  });
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}

/** Texts of drawers with a vector of another model than the palace's, which is one of an `EmbeddingServer`. */
export function foreignTexts(folder: string): string[] {
  const name = Palace.look(folder, ({ model }) => model.id).split('#')[1] ?? '';
  const database = new Database(palaceFile(folder), { readonly: true });
  try {
    return database
      .prepare<[], { text: string; embedding: Buffer }>(
        'SELECT d.text, e.embedding FROM drawers d JOIN embeddings e ON e.vector_id = d.vector_id',
      )
      .all()
      .filter(({ text, embedding }) => {
        const wanted = madeUpVector(name, text.replace(/\s+/gu, ' ').trim(), embedding.length / 4);
        const cosine = wanted.reduce((sum, value, i) => sum + value * embedding.readFloatLE(i * 4), 0);
        return !(cosine > 0.999);
      })
      .map(({ text }) => text);
  } finally {
    database.close();
  }
}
