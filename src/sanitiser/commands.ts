import type { Rule } from './rule.js';
import { isChosenOrGenerated, isStrong, looksGenerated } from './secret-heuristics.js';

/** Secrets in command lines, known by the command and where its arguments stand. */
export const COMMANDS: readonly Rule[] = [
  {
    kind: 'password',
    anchors: ['mysql', 'mariadb'],
    pattern:
      /\b(?:mysql|mariadb)[\w-]{0,16}[ \t][^\n|;]{0,200}?(?<=[ \t])-p["']?(?<secret>[^\s"'<>]{6,128})/dy,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password',
    anchors: ['sshpass'],
    pattern: /sshpass[ \t]{1,4}-p[ \t]{0,4}["']?(?<secret>[^\s"'<>]{6,128})/dy,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password',
    anchors: ['redis-cli'],
    pattern: /redis-cli[ \t][^\n|;]{0,120}?(?<=[ \t])-a[ \t]{0,4}["']?(?<secret>[^\s"'<>]{6,128})/dy,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password',
    anchors: ['login -'],
    pattern: /login[ \t][^\n|;]{0,120}?(?<=[ \t])-p[ \t]{0,4}["']?(?<secret>[^\s"'<>]{6,128})/dy,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password',
    anchors: ['zip -'],
    pattern: /zip[ \t][^\n|;]{0,60}?(?<=[ \t])-[a-z]{0,4}P[ \t]{0,4}["']?(?<secret>[^\s"'<>]{6,128})/dy,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password',
    anchors: ['htpasswd -'],
    pattern:
      /htpasswd[ \t]-[a-zA-Z]{0,6}b[a-zA-Z]{0,6}[ \t]{1,4}\S{1,100}[ \t]{1,4}\S{1,64}[ \t]{0,4}["']?(?<secret>[^\s"'<>]{6,128})/dy,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password', // curl -u user:password, on a later line of the command, too
    anchors: ['curl ', 'http '],
    pattern:
      /\b(?:curl|http)[ \t](?:[^\n|;\\]|\\\r?\n|\\[^\r\n]){0,400}?(?:(?<=\s)-u|--user|--proxy-user|(?<=\s)-a)[ \t=]{0,4}["']?[^\s:"']{0,128}["']?:["']?(?<secret>[^\s"']{5,256})/dy,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'api-key', // curl -u key: without a password
    anchors: ['-u ', '--user '],
    pattern: /(?<=\s)(?:-u|--user) {1,4}["']?(?<secret>[\w.!+/-]{12,256}):["']?(?![^\s"'\\])/dy,
    accept: looksGenerated,
    general: true,
  },
  {
    kind: 'password', // openssl
    anchors: ['pass:'],
    pattern: /(?<=-pass(?:in|out)?[ \t]{1,4}["']?)pass:(?<secret>[^\s"']{6,256})/dy,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password', // echo … | docker login --password-stdin, echo user:… | chpasswd
    anchors: ['echo ', 'printf '],
    pattern:
      /\b(?:echo|printf)[ \t]{1,4}(?:-[ne]{1,2}[ \t]{1,4})?["']?(?:[\w.-]{1,32}:(?=[^|\n]{6,260}\|[^\n|]{0,200}chpasswd))?(?<secret>[^\s"'|\\]{6,256})(?:\\n)?["']?[ \t]{0,4}\|[^\n|]{0,200}(?:--password-stdin|\bsudo[ \t]-S|chpasswd|passwd[ \t]{1,4}--stdin|--passphrase-fd)/dy,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password',
    anchors: ['mongo', 'psexec', 'winexe', 'evil-winrm', 'crackmapexec', 'rdesktop', 'az login'],
    pattern:
      /\b(?:mongo(?:sh|dump|restore|import|export|stat|top)?|psexec(?:64)?(?:\.exe)?|winexe|evil-winrm|crackmapexec|rdesktop|az login)[ \t][^\n|;]{0,200}?(?<=[ \t])-p[ \t]{1,4}["']?(?<secret>[^\s"'<>]{6,128})/diy,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password',
    anchors: [
      'sqlcmd',
      'bcp ',
      'ldapsearch',
      'ldapmodify',
      'ldapadd',
      'ldapdelete',
      'ldapwhoami',
      'ldappasswd',
    ],
    pattern:
      /\b(?:(?:sqlcmd|bcp)[ \t][^\n|;]{0,200}?(?<=[ \t])-P|ldap\w{3,8}[ \t][^\n|;]{0,200}?(?<=[ \t])-w)[ \t]{0,4}["']?(?<secret>[^\s"'<>]{6,128})/dy,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password', // smbclient -U user%password
    anchors: ['smbclient ', 'smbget ', 'rpcclient ', 'smbmap '],
    pattern:
      /(?:smbclient|smbget|rpcclient|smbmap)[ \t][^\n|;]{0,200}?(?<=[ \t])(?:-U|--user)[ \t=]{0,4}["']?[^\s%"']{1,64}%(?<secret>[^\s"'<>]{6,128})/dy,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password', // net user bob … /add
    anchors: ['net user ', 'net use '],
    pattern:
      /\bnet (?:user[ \t]{1,4}\S{1,64}|use[ \t]{1,4}(?:\S{1,3}[ \t]{1,4})?\\\\\S{1,200})[ \t]{1,4}["']?(?<secret>[^\s"'<>/][^\s"'<>]{5,127})/diy,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password',
    anchors: ['ssh-keygen'],
    pattern: /ssh-keygen[ \t][^\n|;]{0,200}?(?<=[ \t])-[NP][ \t]{0,4}["']?(?<secret>[^\s"'<>]{6,128})/dy,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password', // an answer to "Password:" in a script of expect
    anchors: ['send "', 'send -- "'],
    pattern: /send (?:-- )?"(?<secret>[^"\\\s]{6,128})\\[rn]/dy,
    accept: isStrong,
    general: true,
  },
  {
    kind: 'password',
    anchors: ['securestring'],
    pattern:
      /(?<=-)SecureString(?:[ \t]{1,4}-(?:String|AsPlainText|Force)){0,3}[ \t]{1,4}\\{0,3}["']?(?<secret>[^\s"'<>\\]{6,128})/diy,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password', // redis.conf
    anchors: ['requirepass ', 'masterauth '],
    pattern: /\b(?:requirepass|masterauth)[ \t]{1,8}["']?(?<secret>[^\s"'<>]{6,256})/dy,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password', // SNMP
    anchors: ['snmp-server community '],
    pattern: /snmp-server community (?<secret>\S{6,64})/dy,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password', // Cisco IOS: a password that anyone can decrypt
    anchors: ['password 7 ', 'key 7 '],
    pattern: /(?:password|key) 7 (?<secret>[0-9A-F]{8,128})\b/dy,
    general: true,
  },
  {
    kind: 'token',
    anchors: ['--token'],
    pattern: /--token[ \t=]{1,4}(?<secret>[a-z0-9]{6}\.[a-z0-9]{16})\b/dy, // kubeadm join
    accept: (secret) => looksGenerated(secret.replace('.', '')),
    general: true,
  },
  {
    kind: 'secret', // gh secret set NAME --body …
    anchors: ['secret set '],
    pattern: /secret set [^\n|;]{0,200}?(?:--body|-b)[ \t=]{1,4}["']?(?<secret>[^\s"'<>]{6,4096})/dy,
    accept: isChosenOrGenerated,
    general: true,
  },
];
