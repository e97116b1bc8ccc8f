import { describe, expect, it } from 'vitest';
import { createSanitiser } from '../../src/sanitiser/index.js';
import { PEM, random } from './secrets.js';

const sanitiser = await createSanitiser({ redact: true });
const value = (length: number, seed: number) =>
  Buffer.from(random(length, undefined, seed)).toString('base64');
const [ONE, TWO] = [value(60, 1), value(12, 2)];

describe('the data of a Kubernetes Secret', () => {
  it.each([
    [
      'before the kind, with a comment and a short value',
      `apiVersion: v1\ndata:\n  # of the shop\n  ca.pem: ${ONE}\n  user: YWRtaW4=\n  extra: '${TWO}'\nkind: Secret\n`,
      `apiVersion: v1\ndata:\n  # of the shop\n  ca.pem: [REDACTED:secret]\n  user: YWRtaW4=\n  extra: '[REDACTED:secret]'\nkind: Secret\n`,
    ],
    [
      'behind the kind, as a block',
      `kind: "Secret"\ntype: x\ndata:\n  .dockercfg: |\n    ${ONE}\n`,
      `kind: "Secret"\ntype: x\ndata:\n  .dockercfg: |\n    [REDACTED:secret]\n`,
    ],
    [
      'in JSON',
      `{\n  "kind": "Secret",\n  "data": {\n    "extra": "${TWO}",\n    "more": "${ONE}"\n  }\n}`,
      `{\n  "kind": "Secret",\n  "data": {\n    "extra": "[REDACTED:secret]",\n    "more": "[REDACTED:secret]"\n  }\n}`,
    ],
  ])('%s', async (_, text, cleaned) => {
    expect((await sanitiser.clean(text)).text).toBe(cleaned);
  });

  const CERTIFICATE = Buffer.from(`-----BEGIN ${'CERTIFICATE'}-----\nMIID${random(200)}\n`).toString(
    'base64',
  );
  it('a certificate that a private key follows is redacted', async () => {
    const both = Buffer.from(`-----BEGIN ${'CERTIFICATE'}-----\nMIID\n${PEM.join('\n')}`).toString('base64');
    expect((await sanitiser.clean(`kind: Secret\ndata:\n  tls.pem: ${both}\n`)).text).not.toContain(both);
  });

  it.each([
    ['a public certificate', `kind: Secret\ndata:\n  ca.crt: ${CERTIFICATE}\n  x: eA==\n`],
    ['a ConfigMap', `kind: ConfigMap\ndata:\n  extra: ${ONE}\n`],
    ['another kind with a name like it', `kind: SecretStore\ndata:\n  extra: ${ONE}\n`],
    ['far away', `data:\n  extra: ${ONE}\n${'# a line\n'.repeat(300)}kind: Secret\n`],
    ['no base64', 'kind: Secret\ndata:\n  extra: {{ .Values.extra }}\n  other: a-name-and-more\n'],
  ])('stays: %s', async (_, text) => {
    expect((await sanitiser.clean(text)).text).toBe(text);
  });
});
