import { runProgram } from './program.js';
import { program } from './programs/mempalace.js';

await runProgram(program, process.argv.slice(2));
