import { type Logger, pino, stdSerializers } from 'pino'
import pretty from 'pino-pretty'
import type { LogLevel } from '../config.ts'

export type { Logger }

/**
 * The process's log: JSON lines on stdout, readable text when stdout is a terminal.
 * Passwords, tokens and cookies never reach it.
 */
export function createLog(level: LogLevel, stream?: NodeJS.WritableStream): Logger {
  const options = {
    level,
    base: null,
    serializers: { err: withoutClient },
    redact: ['password', '*.password', 'token', '*.token', 'headers.authorization', 'headers.cookie'],
  }
  if (stream) return pino(options, stream)
  if (process.stdout.isTTY) {
    return pino(
      options,
      pretty({ colorize: true, translateTime: 'SYS:HH:MM:ss', singleLine: true, sync: true }),
    )
  }
  return pino(options)
}

/** Errors of the database driver carry their whole connection, with the key that cancels its queries. */
function withoutClient(error: Error) {
  const { client: _, ...shown } = stdSerializers.err(error)
  return shown
}
