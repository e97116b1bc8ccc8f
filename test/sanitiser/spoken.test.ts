import { describe, expect, it } from 'vitest';
import { createSanitiser } from '../../src/sanitiser/index.js';
import { PASSWORD, random } from './secrets.js';

const sanitiser = await createSanitiser({ redact: true });
const PASSPHRASE = ['amber', 'river', 'canyon', 'otter'].join('-');
const GIBBERISH = ['gsfz', 'qwbs', 'rkks'].join('');
const MIXED = ['qecF', 'fMoO', 'Osow', 'Rt'].join('');

describe('passwords in prose', () => {
  it.each([
    ['my pass is ', PASSWORD, ''],
    ['new pass for ann: ', PASSWORD, ''],
    ['pw ', PASSWORD, ''],
    ['the pw is ', PASSWORD, ' for now'],
    ['das Passwort ist ', PASSWORD, ''],
    ['mein Kennwort: ', PASSWORD, ''],
    ['Das Kennwort lautet ', PASSWORD, ''],
    ['le mot de passe est ', PASSWORD, ''],
    ['mot de passe : ', PASSWORD, ''],
    ['mdp : ', PASSWORD, ''],
    ['la contraseña es ', PASSWORD, ''],
    ['Clave: ', PASSWORD, ''],
    ['a senha é ', PASSWORD, ''],
    ['palavra-passe: ', PASSWORD, ''],
    ['пароль: ', PASSWORD, ''],
    ['Пароль от сервера: ', PASSWORD, ''],
    ['мой пароль ', PASSWORD, ''],
    ['密码是 ', PASSWORD, ''],
    ['密码：', PASSWORD, ''],
    ['我的密码是', PASSWORD, ''],
    ['creds: ann:', PASSWORD, ''],
    ['creds are ann/', PASSWORD, ''],
    ['user:pass is ann:', PASSWORD, ''],
    ['Zugangsdaten: ann / ', PASSWORD, ''],
    ['my password is ', PASSPHRASE, ''],
    ['my password is ', GIBBERISH, ''],
    ['app:', PASSWORD, '@tcp(db:3306)/shop'],
    ['redis://:', GIBBERISH, '@cache:6379/0'],
    ['https://ann:', PASSPHRASE, '@git.invalid/a.git'],
    ['login("ann", "', PASSWORD, '")'],
    ['auth = ("ann", "', PASSWORD, '")'],
    ["password = '", PASSPHRASE, "'"],
    ["db_pass = '", MIXED, "'"],
    ['DB_PASSWORD=', ['Test', '!aB3', 'xK9q'].join(''), ''],
    ['password: "', ['example', '-42Xk9', 'dP2'].join(''), '"'],
    ['password: "', ['Passw0rd', '$74', 'AJCe'].join(''), '"'],
    ['password: "', ['Admin', '4821', '*xyq'].join(''), '"'],
  ])('%s…%s%s', async (before, secret, after) => {
    expect(await sanitiser.clean(before + secret + after)).toEqual({
      text: `${before}[REDACTED:password]${after}`,
      redacted: { password: 1 },
    });
  });

  it.each([
    'Das Passwort muss mindestens 8 Zeichen haben. Passwort: erforderlich',
    'Le mot de passe est obligatoire et doit contenir 8 caractères',
    'La contraseña es obligatoria; la senha é obrigatória',
    'Введите пароль: он должен содержать 8 символов',
    '密码是必填项，请输入密码：至少8个字符',
    'my pass is expired, the password is wrong, pw reset needed, the pw is required',
    'creds: see vault; credentials: user:password',
    'login("user", "password"); login(username, password)',
    'http://gebruiker:wachtwoord@server',
    'redis://:password@localhost:6379',
    'app:password@tcp(localhost:3306)/db',
    'postgresql://<u>:<password>@localhost/db',
    'password: "Test1234!", "demo-user-2024", "example-password-1"',
    '"password": "forgot-password-link-text"',
    'Fix a typo in the update-passwd manpage. Closes: Bug#53857,#75791',
    's#passwd.1#passwd.5#',
    'DUMMY_FUNCTION_PASS("sjljehprepare", SjLjEHPreparePass)',
    '--password=123Abpassword',
    'pwd: "/store1"',
    'pwd=/srv/app1',
    'aws_account_id = "123456789012"',
    'AccountId: 111122223333',
  ])('stays: %s', async (text) => {
    expect((await sanitiser.clean(text)).text).toBe(text);
  });

  it('an AWS account that is not an example stays redacted', async () => {
    const account = random(12, '3456789');
    expect((await sanitiser.clean(`aws_account_id = "${account}"`)).text).not.toContain(account);
  });
});
