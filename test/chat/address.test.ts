import { describe, expect, it } from 'vitest';
import { chatAddress } from '../../src/chat/index.js';

const at = (url: string, token?: string) => chatAddress(url, { model: 'small', token });

describe('the address of a chat endpoint', () => {
  it('has one form, with or without its end', () => {
    for (const url of [
      'http://127.0.0.1:8080/v1',
      'http://127.0.0.1:8080/v1/',
      'http://127.0.0.1:8080/v1/chat/completions',
    ])
      expect(at(url).url.href).toBe('http://127.0.0.1:8080/v1/chat/completions');
    expect(at('https://llm.example').url.href).toBe('https://llm.example/chat/completions');
  });

  it('permits http for this machine, and without a token for private addresses', () => {
    for (const host of ['localhost', '127.0.0.1', '[::1]'])
      expect(at(`http://${host}/v1`, 'token').token).toBe('token');
    for (const host of ['10.1.2.3', '172.16.0.9', '192.168.1.5', '[fd00::1]']) {
      expect(at(`http://${host}/v1`).url.hostname).toBe(host);
      expect(() => at(`http://${host}/v1`, 'token')).toThrow(/the token would be readable/);
    }
  });

  it('demands https of every other host, also of names that look like private addresses', () => {
    for (const host of ['llm.example', '8.8.8.8', '172.32.0.1', '192.168.1.5.example', '10.example'])
      expect(() => at(`http://${host}/v1`), host).toThrow(/use https/);
    expect(at('https://llm.example/v1', 'token').token).toBe('token');
  });

  it('contains neither a password nor a query, and says so without quoting it', () => {
    for (const url of [
      'https://me:hunter2@llm.example/v1',
      'https://llm.example/v1?key=hunter2',
      'ftp://hunter2',
    ])
      expect(() => at(url)).toThrow(/^(?!.*hunter2)/);
  });
});
