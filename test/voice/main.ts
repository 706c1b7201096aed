/**
 * A voice for development: its own process, on this machine only. Says where it listens in its first line,
 * `voice: http://127.0.0.1:<port>/v1`. README.md has the options.
 */
import { createEspeak, hasEspeak } from "./espeak.ts";
import { parseFlags, type VoiceOptions } from "./options.ts";
import { createVoiceServer } from "./server.ts";
import { speakTone } from "./tone.ts";

const flags = parseFlags(process.argv.slice(2));
if (!flags.ok) complain(`${flags.error}\nOptions: test/voice/README.md`, 2);
else if (flags.value.tone || hasEspeak()) serve(flags.value);
else {
  complain(
    "espeak-ng is not installed. On Debian or Ubuntu:\n" +
      "  sudo apt-get install -y --no-install-recommends espeak-ng\n" +
      "Or without a voice, a tone as long as each sentence: npm run voice -- --tone",
    1,
  );
}

function serve(options: VoiceOptions): void {
  const server = createVoiceServer(options, options.tone ? speakTone : createEspeak(options.voice));
  server.on("error", (error) => complain(error.message, 1));
  server.listen(options.port, "127.0.0.1", () => {
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    process.stdout.write(`voice: http://127.0.0.1:${port}/v1\n`);
  });
}

function complain(message: string, exitCode: number): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = exitCode;
}

// Started by a test: the channel to it closes when it ends, in whatever way.
process.on("disconnect", () => process.exit(0));
