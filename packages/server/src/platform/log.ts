import { type Logger, multistream, pino, stdSerializers } from 'pino'
import pretty from 'pino-pretty'
import type { LogLevel } from '../config.ts'

export type { Logger }

/**
 * The process's log: JSON lines on stdout, readable text when stdout is a terminal.
 * Passwords, tokens and cookies never reach it.
 * @param keeper gets the lines of warnings and errors as well
 */
export function createLog(
  level: LogLevel,
  stream?: NodeJS.WritableStream,
  keeper?: { write(line: string): void },
): Logger {
  const options = {
    level,
    base: null,
    serializers: { err: withoutClient },
    redact: ['password', '*.password', 'token', '*.token', 'headers.authorization', 'headers.cookie'],
  }
  const shown = stream ?? streamOf(process.stdout)
  if (keeper === undefined) return pino(options, shown)
  return pino(
    options,
    multistream([
      { level: 'trace', stream: shown },
      { level: 'warn', stream: keeper },
    ]),
  )
}

function streamOf(stdout: NodeJS.WriteStream) {
  return stdout.isTTY
    ? pretty({ colorize: true, translateTime: 'SYS:HH:MM:ss', singleLine: true, sync: true })
    : pino.destination(1)
}

/** Errors of the database driver carry their whole connection, with the key that cancels its queries. */
function withoutClient(error: Error) {
  const { client: _, ...shown } = stdSerializers.err(error)
  return shown
}
