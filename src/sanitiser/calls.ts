import { byPlace, byShape, type Rule } from './rule.js';
import { isChosenOrGenerated, looksGenerated, looksScrambled } from './secret-heuristics.js';

/** Secrets in source code, SQL and Terraform, found by the function and the position of the argument. */
export const CALLS: readonly Rule[] = [
  // requests.get(url, auth=("user", "password"))
  byPlace(
    'password',
    /\b(?<at>auth=|auth =) ?\(["'][^"'\n]{1,64}["'],[ \t]{0,4}["'](?<secret>[^"'\n]{6,128})["']\)/,
    isChosenOrGenerated,
  ),
  // WordPress: define('AUTH_KEY', '…')
  byPlace(
    'secret',
    /\b(?<at>define\()[ \t]{0,4}["'][A-Z_]{0,40}(?:KEY|SALT|PASSWORD|SECRET|TOKEN)["'],[ \t]{0,24}["'](?<secret>[^'"\n]{8,256})["']/,
    (secret) => isChosenOrGenerated(secret) || looksScrambled(secret),
  ),
  // Terraform: variable "db_password" { default = "…" }
  byPlace(
    'secret',
    /\b(?<at>variable ")[\w-]{0,64}(?:password|secret|token|key)[\w-]{0,16}" ?\{[^{}]{0,400}?\bdefault[ \t]{0,16}=[ \t]{0,4}"(?<secret>[^"\n]{6,256})"/,
    isChosenOrGenerated,
  ),
  // new NetworkCredential("user", "…"), getConnection(url, "user", "…")
  byPlace(
    'password',
    /\w{3,32}[( ]\s{0,40}(?:["'][^"'\n]{0,200}["'],\s{0,40}){1,2}["'](?<secret>[^"'\s]{6,128})["']/,
    isChosenOrGenerated,
    [
      ...['NetworkCredential(', 'DirectoryEntry(', 'getConnection(', 'mysqli_connect(', 'mysqli(', 'PDO('],
      ...['UsernamePasswordCredentials(', 'PasswordAuthentication(', 'HTTPBasicAuth(', 'HTTPDigestAuth('],
      ...['setBasicAuth(', 'SetBasicAuth(', 'basicAuth(', 'basic_auth(', 'sp_addlogin ', 'login(', 'Login('],
      ...['logon(', 'authenticate(', 'signin(', 'sign_in(', 'signIn(', 'connect(', 'Connect('],
    ],
  ),
  // SQL
  byPlace(
    'password',
    /\b(?<at>identified )(?:with ["'`]?\w{1,40}["'`]? )?(?:by|as) (?:password )?["'](?<secret>[^"'\s]{6,256})["']/i,
    isChosenOrGenerated,
  ),
  // jwt.sign(payload, "…"), createHmac("sha256", "…")
  byPlace(
    'secret',
    /(?<at>jwt\.sign\(|jwt\.verify\(|jwt\.encode\(|jwt\.decode\(|createHmac\()(?:["'][\w-]{1,32}["']|[\w.$[\]]{1,80}|\{[^{}\n]{0,200}\}),[ \t]{0,4}b?["'](?<secret>[^"'\s]{8,512})["']/,
    looksGenerated,
  ),
  // hmac.New(sha256.New, []byte("…")), hmac.new(b"…", …)
  byPlace(
    'secret',
    /(?<at>hmac\.New\(|hmac\.new\()(?:[\w.]{1,40},[ \t]{0,4})?(?:\[\]byte\(|b)?["'](?<secret>[^"'\s]{8,512})["']/,
    looksGenerated,
  ),
  // after the id: arguments, a line of a table
  byShape(
    'aws-secret-key',
    /(?<at>AKIA|ASIA)[A-Z2-7]{16}[^\w/+=]{1,12}(?:\w{1,40}[^\w/+=]{1,8})?(?<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/,
    looksGenerated,
  ),
];
