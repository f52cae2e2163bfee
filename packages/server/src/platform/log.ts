import { type Logger, pino } from 'pino'
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
