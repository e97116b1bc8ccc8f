import { byPlace, type Rule } from './rule.js';
import { isChosenOrGenerated, isStrong, looksGenerated } from './secret-heuristics.js';

const password = (pattern: RegExp, starts?: string[]): Rule =>
  byPlace('password', pattern, isChosenOrGenerated, starts);

/** A password after the text that a pattern matches, with or without quotes. */
const passwordAfter = ({ source, flags }: RegExp, starts?: string[]): Rule =>
  password(new RegExp(`${source}["']?(?<secret>[^\\s"'<>]{6,128})`, flags), starts);

/** Secrets in command lines, found by the command and the position of the argument. */
export const COMMANDS: readonly Rule[] = [
  passwordAfter(/\b(?<at>mysql|mariadb)[\w-]{0,16}[ \t][^\n|;]{0,200}?(?<=[ \t])-p/),
  passwordAfter(/(?<at>sshpass)[ \t]{1,4}-p[ \t]{0,4}/),
  passwordAfter(/(?<at>redis-cli)[ \t][^\n|;]{0,120}?(?<=[ \t])-a[ \t]{0,4}/),
  passwordAfter(/login[ \t][^\n|;]{0,120}?(?<=[ \t])-p[ \t]{0,4}/, ['login -']),
  passwordAfter(/zip[ \t][^\n|;]{0,60}?(?<=[ \t])-[a-z]{0,4}P[ \t]{0,4}/, ['zip -']),
  passwordAfter(
    /(?<at>htpasswd -)[a-zA-Z]{0,6}b[a-zA-Z]{0,6}[ \t]{1,4}\S{1,100}[ \t]{1,4}\S{1,64}[ \t]{0,4}/,
  ),
  // curl -u user:password, also on a continued line
  password(
    /\b(?<at>curl |http )(?:[^\n|;\\]|\\\r?\n|\\[^\r\n]){0,400}?(?:(?<=\s)-u|--user|--proxy-user|(?<=\s)-a)[ \t=]{0,4}["']?[^\s:"']{0,128}["']?:["']?(?<secret>[^\s"']{5,256})/,
  ),
  // curl -u key: without a password
  byPlace(
    'api-key',
    /(?<=\s)(?<at>-u |--user ) {0,3}["']?(?<secret>[\w.!+/-]{12,256}):["']?(?![^\s"'\\])/,
    looksGenerated,
  ),
  // openssl
  password(/(?<=-pass(?:in|out)?[ \t]{1,4}["']?)(?<at>pass:)(?<secret>[^\s"']{6,256})/),
  // echo … | docker login --password-stdin, echo user:… | chpasswd
  password(
    /\b(?<at>echo |printf )[ \t]{0,3}(?:-[ne]{1,2}[ \t]{1,4})?["']?(?:[\w.-]{1,32}:(?=[^|\n]{6,260}\|[^\n|]{0,200}chpasswd))?(?<secret>[^\s"'|\\]{6,256})(?:\\n)?["']?[ \t]{0,4}\|[^\n|]{0,200}(?:--password-stdin|\bsudo[ \t]-S|chpasswd|passwd[ \t]{1,4}--stdin|--passphrase-fd)/,
  ),
  passwordAfter(
    /\b(?:mongo(?:sh|dump|restore|import|export|stat|top)?|psexec(?:64)?(?:\.exe)?|winexe|evil-winrm|crackmapexec|rdesktop|az login)[ \t][^\n|;]{0,200}?(?<=[ \t])-p[ \t]{1,4}/i,
    ['mongo', 'psexec', 'winexe', 'evil-winrm', 'crackmapexec', 'rdesktop', 'az login'],
  ),
  passwordAfter(
    /\b(?:(?:sqlcmd|bcp)[ \t][^\n|;]{0,200}?(?<=[ \t])-P|ldap\w{3,8}[ \t][^\n|;]{0,200}?(?<=[ \t])-w)[ \t]{0,4}/,
    ['sqlcmd', 'bcp ', 'ldapsearch', 'ldapmodify', 'ldapadd', 'ldapdelete', 'ldapwhoami', 'ldappasswd'],
  ),
  // smbclient -U user%password
  password(
    /(?<at>smbclient |smbget |rpcclient |smbmap )[^\n|;]{0,200}?(?<=[ \t])(?:-U|--user)[ \t=]{0,4}["']?[^\s%"']{1,64}%(?<secret>[^\s"'<>]{6,128})/,
  ),
  // net user bob … /add
  password(
    /\b(?:net user[ \t]{1,4}\S{1,64}|net use[ \t]{1,4}(?:\S{1,3}[ \t]{1,4})?\\\\\S{1,200})[ \t]{1,4}["']?(?<secret>[^\s"'<>/][^\s"'<>]{5,127})/i,
    ['net user ', 'net use '],
  ),
  passwordAfter(/(?<at>ssh-keygen)[ \t][^\n|;]{0,200}?(?<=[ \t])-[NP][ \t]{0,4}/),
  // an answer to "Password:" in a script of expect
  byPlace('password', /(?<at>send "|send -- ")(?<secret>[^"\\\s]{6,128})\\[rn]/, isStrong),
  password(
    /(?<=-)(?<at>SecureString)(?:[ \t]{1,4}-(?:String|AsPlainText|Force)){0,3}[ \t]{1,4}\\{0,3}["']?(?<secret>[^\s"'<>\\]{6,128})/i,
  ),
  // redis.conf
  password(/\b(?<at>requirepass |masterauth )[ \t]{0,7}["']?(?<secret>[^\s"'<>]{6,256})/),
  // SNMP
  password(/(?<at>snmp-server community )(?<secret>\S{6,64})/),
  // Cisco IOS: a password that anyone can decrypt
  byPlace('password', /(?<at>password 7 |key 7 )(?<secret>[0-9A-F]{8,128})\b/),
  // kubeadm join
  byPlace('token', /(?<at>--token)[ \t=]{1,4}(?<secret>[a-z0-9]{6}\.[a-z0-9]{16})\b/, (secret) =>
    looksGenerated(secret.replace('.', '')),
  ),
  // gh secret set NAME --body …
  byPlace(
    'secret',
    /(?<at>secret set )[^\n|;]{0,200}?(?:--body|-b)[ \t=]{1,4}["']?(?<secret>[^\s"'<>]{6,4096})/,
    isChosenOrGenerated,
  ),
];
