import { byPlace, type Rule } from './rule.js';
import { isChosenOrGenerated, isStrong, looksGenerated } from './secret-heuristics.js';

const password = (anchors: string | readonly string[], pattern: RegExp): Rule =>
  byPlace('password', anchors, pattern, isChosenOrGenerated);

/** Secrets in command lines, found by the command and the position of the argument. */
export const COMMANDS: readonly Rule[] = [
  password(
    ['mysql', 'mariadb'],
    /\b(?:mysql|mariadb)[\w-]{0,16}[ \t][^\n|;]{0,200}?(?<=[ \t])-p["']?(?<secret>[^\s"'<>]{6,128})/dy,
  ),
  password('sshpass', /sshpass[ \t]{1,4}-p[ \t]{0,4}["']?(?<secret>[^\s"'<>]{6,128})/dy),
  password(
    'redis-cli',
    /redis-cli[ \t][^\n|;]{0,120}?(?<=[ \t])-a[ \t]{0,4}["']?(?<secret>[^\s"'<>]{6,128})/dy,
  ),
  password('login -', /login[ \t][^\n|;]{0,120}?(?<=[ \t])-p[ \t]{0,4}["']?(?<secret>[^\s"'<>]{6,128})/dy),
  password(
    'zip -',
    /zip[ \t][^\n|;]{0,60}?(?<=[ \t])-[a-z]{0,4}P[ \t]{0,4}["']?(?<secret>[^\s"'<>]{6,128})/dy,
  ),
  password(
    'htpasswd -',
    /htpasswd[ \t]-[a-zA-Z]{0,6}b[a-zA-Z]{0,6}[ \t]{1,4}\S{1,100}[ \t]{1,4}\S{1,64}[ \t]{0,4}["']?(?<secret>[^\s"'<>]{6,128})/dy,
  ),
  // curl -u user:password, also on a continued line
  password(
    ['curl ', 'http '],
    /\b(?:curl|http)[ \t](?:[^\n|;\\]|\\\r?\n|\\[^\r\n]){0,400}?(?:(?<=\s)-u|--user|--proxy-user|(?<=\s)-a)[ \t=]{0,4}["']?[^\s:"']{0,128}["']?:["']?(?<secret>[^\s"']{5,256})/dy,
  ),
  // curl -u key: without a password
  byPlace(
    'api-key',
    ['-u ', '--user '],
    /(?<=\s)(?:-u|--user) {1,4}["']?(?<secret>[\w.!+/-]{12,256}):["']?(?![^\s"'\\])/dy,
    looksGenerated,
  ),
  // openssl
  password('pass:', /(?<=-pass(?:in|out)?[ \t]{1,4}["']?)pass:(?<secret>[^\s"']{6,256})/dy),
  // echo … | docker login --password-stdin, echo user:… | chpasswd
  password(
    ['echo ', 'printf '],
    /\b(?:echo|printf)[ \t]{1,4}(?:-[ne]{1,2}[ \t]{1,4})?["']?(?:[\w.-]{1,32}:(?=[^|\n]{6,260}\|[^\n|]{0,200}chpasswd))?(?<secret>[^\s"'|\\]{6,256})(?:\\n)?["']?[ \t]{0,4}\|[^\n|]{0,200}(?:--password-stdin|\bsudo[ \t]-S|chpasswd|passwd[ \t]{1,4}--stdin|--passphrase-fd)/dy,
  ),
  password(
    ['mongo', 'psexec', 'winexe', 'evil-winrm', 'crackmapexec', 'rdesktop', 'az login'],
    /\b(?:mongo(?:sh|dump|restore|import|export|stat|top)?|psexec(?:64)?(?:\.exe)?|winexe|evil-winrm|crackmapexec|rdesktop|az login)[ \t][^\n|;]{0,200}?(?<=[ \t])-p[ \t]{1,4}["']?(?<secret>[^\s"'<>]{6,128})/diy,
  ),
  password(
    ['sqlcmd', 'bcp ', 'ldapsearch', 'ldapmodify', 'ldapadd', 'ldapdelete', 'ldapwhoami', 'ldappasswd'],
    /\b(?:(?:sqlcmd|bcp)[ \t][^\n|;]{0,200}?(?<=[ \t])-P|ldap\w{3,8}[ \t][^\n|;]{0,200}?(?<=[ \t])-w)[ \t]{0,4}["']?(?<secret>[^\s"'<>]{6,128})/dy,
  ),
  // smbclient -U user%password
  password(
    ['smbclient ', 'smbget ', 'rpcclient ', 'smbmap '],
    /(?:smbclient|smbget|rpcclient|smbmap)[ \t][^\n|;]{0,200}?(?<=[ \t])(?:-U|--user)[ \t=]{0,4}["']?[^\s%"']{1,64}%(?<secret>[^\s"'<>]{6,128})/dy,
  ),
  // net user bob … /add
  password(
    ['net user ', 'net use '],
    /\bnet (?:user[ \t]{1,4}\S{1,64}|use[ \t]{1,4}(?:\S{1,3}[ \t]{1,4})?\\\\\S{1,200})[ \t]{1,4}["']?(?<secret>[^\s"'<>/][^\s"'<>]{5,127})/diy,
  ),
  password(
    'ssh-keygen',
    /ssh-keygen[ \t][^\n|;]{0,200}?(?<=[ \t])-[NP][ \t]{0,4}["']?(?<secret>[^\s"'<>]{6,128})/dy,
  ),
  // an answer to "Password:" in a script of expect
  byPlace('password', ['send "', 'send -- "'], /send (?:-- )?"(?<secret>[^"\\\s]{6,128})\\[rn]/dy, isStrong),
  password(
    'securestring',
    /(?<=-)SecureString(?:[ \t]{1,4}-(?:String|AsPlainText|Force)){0,3}[ \t]{1,4}\\{0,3}["']?(?<secret>[^\s"'<>\\]{6,128})/diy,
  ),
  // redis.conf
  password(
    ['requirepass ', 'masterauth '],
    /\b(?:requirepass|masterauth)[ \t]{1,8}["']?(?<secret>[^\s"'<>]{6,256})/dy,
  ),
  // SNMP
  password('snmp-server community ', /snmp-server community (?<secret>\S{6,64})/dy),
  // Cisco IOS: a password that anyone can decrypt
  byPlace('password', ['password 7 ', 'key 7 '], /(?:password|key) 7 (?<secret>[0-9A-F]{8,128})\b/dy),
  // kubeadm join
  byPlace('token', '--token', /--token[ \t=]{1,4}(?<secret>[a-z0-9]{6}\.[a-z0-9]{16})\b/dy, (secret) =>
    looksGenerated(secret.replace('.', '')),
  ),
  // gh secret set NAME --body …
  byPlace(
    'secret',
    'secret set ',
    /secret set [^\n|;]{0,200}?(?:--body|-b)[ \t=]{1,4}["']?(?<secret>[^\s"'<>]{6,4096})/dy,
    isChosenOrGenerated,
  ),
];
