/** Runs the main function of a bench: an error is a message on stderr and exit code 2, and ends the programs it started. */
export async function runBench(main) {
  try {
    await main();
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(2);
  }
}
