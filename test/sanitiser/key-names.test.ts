import { describe, expect, it } from 'vitest';
import { createSanitiser } from '../../src/sanitiser/index.js';
import { ALPHANUMERIC, HEX, random } from './secrets.js';

const sanitiser = await createSanitiser({ redact: true });
const KEY = random(32);
const HASH = random(40, HEX);
const UUID = [8, 4, 4, 4, 12].map((length) => random(length, HEX, length)).join('-');

describe('a secret by the end of its key', () => {
  it.each([
    ['abuseipdb_key: "', KEY, '"'],
    ["clearbit-key: '", KEY, "',"],
    ['const abuseipdbKey = "', KEY, '";'],
    ['String shopKey = "', KEY, '";'],
    ['my abuseipdb key: ', KEY, ''],
    ['Using Key=', KEY, ''],
    ['[shop]\nkey = ', HASH, ''],
    ['shopAuth: "', KEY, '"'],
    ['shop_salt = "', KEY, '"'],
    ['"shopCreds": "', KEY, '"'],
    ['shop-pat: ', KEY, ''],
    ['vatlayer_key: "', UUID, '"'],
    ['shop_key: "', random(40, HEX), '"'],
    ['shop_key: "', random(30, `${ALPHANUMERIC.slice(0, 26)}0123456789`), '"'],
    ['key for shop → ', KEY, ''],
    ['the key I use for shop is ', KEY, ''],
    ["Invalid shop key '", KEY, "'"],
    ['You can find a shop credential ', KEY, ' within the text'],
    ['| shop key | `', KEY, '` |'],
  ])('%s…%s', async (before, secret, after) => {
    expect(await sanitiser.clean(before + secret + after)).toEqual({
      text: `${before}[REDACTED:api-key]${after}`,
      redacted: { 'api-key': 1 },
    });
  });

  it('under a key of a JSON value, too', async () => {
    const cacheKey = [...KEY].reverse().join('');
    const { value } = await sanitiser.cleanValue({ shopKey: KEY, cacheKey, key: UUID });
    expect(value).toEqual({ shopKey: '[REDACTED:api-key]', cacheKey, key: UUID });
  });

  it.each([
    `cache_key: "${HASH}"`,
    `cacheKey = "${KEY}"`,
    `partitionKey: "${UUID}"`,
    `sort_key: ${HASH}`,
    `foreign_key = "${KEY}"`,
    `"publicKey": "${KEY}"`,
    `key: "${UUID}"`,
    `user_key: "${UUID}"`,
    `hashKey: "${HASH}"`,
    `object_key = "images/${HASH}.png"`,
    `storage_key: "avatars/${UUID}"`,
    `monkey: "${KEY}"`,
    `key_id: ${KEY}`,
    `signing key ${HASH.toUpperCase()}`,
    `the commit of the key is ${HASH}`,
    `public key ${KEY}`,
    'key: "user.profile.settings.title2"',
    'key <I25> { [ XF86AudioLowerVolume ] };',
    `Cache restored from key: Linux-npm-${random(64, HEX)}`,
    `restore-key: buildx-Linux-${HASH}`,
    `{"Key":"${random(32, HEX)}","Size":1234}`,
    `skip key: ${random(64, HEX)}`,
    `key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${random(43)}`,
    'aws-prod-us-east-1-vpc-0a1b2c3d4e5f67890, my-test-cluster-1a2b3c4d5e6f7a8b-node',
    'PASS: ld-i386/property-x86-ibt1a',
    'Key1=Value1:Key2=Value2:Key3=Value3',
    'do not pass `SSL_OP_NO_TLSv1` here',
    'getKey = xmlSecKeysMngrGetKey;',
  ])('stays: %s', async (text) => {
    expect((await sanitiser.clean(text)).text).toBe(text);
  });
});
