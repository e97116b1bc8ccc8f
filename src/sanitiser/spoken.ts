import { byPlace, type Rule } from './rule.js';
import { isPassphrase, isStrong } from './secret-heuristics.js';

/** `password` in English, German, French, Spanish, Portuguese, Russian and Chinese. */
const WORD =
  'passw(?:or[dt]|d)s?|passphrase|passcode|kennwort|mot de passe|mdp|contrase(?:ñ|n)a|clave|senha|palavra-passe|пароль|密码|口令';
/** Their beginnings; Cyrillic in both cases, since the search for literals ignores the case of ASCII only. */
const STARTS = [
  ...['passw', 'passphrase', 'passcode', 'kennwort', 'mot de passe', 'mdp', 'contrase', 'clave', 'senha'],
  ...['palavra-passe', 'парол', 'Парол', '密码', '口令'],
];
const IS = 'is|was|to|of|as|be|now|=|ist|lautet|war|est|es|é|era|это|是|为|為';
const MARK = '[:=：—–→]';
const VALUE = '["\'`]?(?![<>=|]|&\\w{2,8};)(?<secret>[^\\s"\'`，。；]{7,127}[^\\s"\'`,.;:?)，。；])';

const rule = (starts: string[], pattern: string): Rule =>
  byPlace('password', new RegExp(pattern, 'i'), (secret) => isStrong(secret) || isPassphrase(secret), starts);

/** Passwords in sentences. */
export const SPOKEN: readonly Rule[] = [
  // "the password is …", "Passwort: …", "мой пароль …", "密码是…", "user x and password …", .netrc
  rule(
    STARTS,
    `(?<![A-Za-z0-9_])(?:${WORD})(?=[ \\t:=：—–→是为為])[ \\t]{0,4}(?:(?:${IS})[ \\t]{0,4}){0,2}(?:${MARK}[ \\t]{0,4})?${VALUE}`,
  ),
  // "password for bob: …", "… is generated for root@localhost: …", "пароль от почты: …", "PASSWORD elastic = …"
  rule(
    [...STARTS, 'pwd '],
    `(?<![A-Za-z0-9_])(?:${WORD}|pwd)(?:[ \\t][^\\s:=：]{0,63}[^\\s:=：.;,!?]){1,5}?[ \\t]{0,2}(?:${MARK}|is(?=[ \\t]))[ \\t]{0,4}${VALUE}`,
  ),
  // "pw …"
  rule(['pw'], `(?<![A-Za-z0-9_./$-])pw(?:[ \\t]{1,2}(?:is|was|ist)|[ \\t]{0,2}${MARK})?[ \\t]{1,4}${VALUE}`),
  // "my pass is …", "new pass for ann: …"; a `pass: …` alone is a test's
  rule(
    ['pass is ', 'pass was ', 'pass for ', 'pass: ', 'pass = '],
    `(?<![A-Za-z0-9_:/-])(?:pass[ \\t](?:is|was)|(?<=\\b(?:my|the|his|her|our|your|new|old|admin|root|user|wifi|db)[ \\t])pass(?:[ \\t]for[ \\t]\\S{1,64}?)?[ \\t]?[:=])[ \\t]{1,4}${VALUE}`,
  ),
  // "id/pw: bob/…", "creds: bob:…", "login: admin / …", "Zugangsdaten: bob / …"
  rule(
    [
      ...['creds', 'credentials', 'login', 'account: ', 'zugangsdaten', 'identifiants', 'credenciales'],
      ...['credenciais', 'user:pass', 'user/pass', 'username/pass', 'username:pass'],
      ...['id/pw', 'id/pass', 'user/pw', 'login/pw', 'login/pass', 'account/pw', 'account/pass'],
    ],
    `(?<![A-Za-z0-9_-])(?:creds?|credentials?|login|account|zugangsdaten|identifiants|credencia(?:le)?i?s|(?:id|user|username|login|account)[ \\t]?[:/][ \\t]?(?:pw|pwd|pass(?:wd|word)?))(?:[ \\t]{0,2}(?:are|is|sind|lauten|sont|son|são|[:=：>(-]{1,3})){0,2}[ \\t]{0,3}(?<=[^\\w])["'\`]?[\\w.@+-]{1,64}[ \\t]{0,2}[:/|,][ \\t]{0,2}(?!/)${VALUE}`,
  ),
];
