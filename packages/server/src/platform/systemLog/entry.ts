import { storableText } from '../storable.ts'

/** A warning or an error of the server, as it is kept for its administrators. */
export interface LogEntry {
  at: Date
  level: 'warning' | 'error'
  /** the part of the server that wrote it, e.g. `connectors` */
  area: string
  message: string
  code: string | null
  /** where an error happened: its uppermost frames, without its message */
  stack: string | null
  requestId: string | null
  /** ids of the things it concerns, e.g. `{ connectorId: 3 }` */
  about: Record<string, number>
}

const messageLengthMax = 1000
const shortLengthMax = 100
const framesMax = 6
const frameLengthMax = 200
/** Longer lines are not read, but only cut. */
const lineLengthMax = 65_536
const warnLevel = 40
const errorLevel = 50

/** Ids in log lines that the console can name. Everything else stays in the log of the process. */
const things = [
  'accountId',
  'connectorId',
  'deviceId',
  'driverId',
  'jobId',
  'mailId',
  'reportId',
  'ruleId',
  'scheduleId',
  'stateId',
  'twinId',
  'userId',
] as const
const idMax = 2_147_483_647

interface Line {
  level?: unknown
  time?: unknown
  msg?: unknown
  requestId?: unknown
  code?: unknown
  err?: { message?: unknown; stack?: unknown; code?: unknown } | null
  [name: string]: unknown
}

/**
 * Pure. What is kept of a line of the log: no values but ids, and nothing that could do something to who reads it.
 * @param caller stack of who wrote the line
 * @returns null: it is neither a warning nor an error
 */
export function entryOf(line: string, caller: string): LogEntry | null {
  const parsed = line.length > lineLengthMax ? cutLine(line) : (JSON.parse(line) as Line)
  const { level, time, msg, requestId, err } = parsed
  if (typeof level !== 'number' || level < warnLevel) return null
  const stack = typeof err?.stack === 'string' ? framesOf(err.stack) : []
  const message = [msg, err?.message].filter(
    (text): text is string => typeof text === 'string' && text !== '',
  )
  return {
    at: new Date(typeof time === 'number' ? time : 0),
    level: level >= errorLevel ? 'error' : 'warning',
    area: areaOf([...stack, ...framesOf(caller)]),
    message: cleaned(message.join(': '), messageLengthMax),
    code: shortText(err?.code ?? parsed.code),
    stack: stack.length === 0 ? null : stack.slice(0, framesMax).join('\n'),
    requestId: shortText(requestId),
    about: Object.fromEntries(things.flatMap((name) => (isId(parsed[name]) ? [[name, parsed[name]]] : []))),
  }
}

/** The beginning of a line that is too long to be read as a whole. */
function cutLine(line: string): Line {
  const begin = line.slice(0, messageLengthMax)
  const number = (name: string) => Number(new RegExp(`"${name}":(\\d+)`).exec(begin)?.[1])
  return { level: number('level'), time: number('time'), msg: begin }
}

function isId(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) <= idMax
}

function shortText(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  return cleaned(String(value), shortLengthMax) || null
}

/** The frames of a stack, without folders above the sources. */
function framesOf(stack: string): string[] {
  return stack
    .slice(0, lineLengthMax)
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map((line) =>
      cleaned(line.replace(/(?:file:\/\/)?\/[^\s()]*\/(packages|node_modules)\//, '$1/'), frameLengthMax),
    )
}

/** The feature, else the part of the platform, in which something happened. */
function areaOf(frames: readonly string[]): string {
  for (const pattern of [/\/src\/features\/(\w+)/, /\/src\/platform\/(?!log\.|systemLog\/)(\w+)\//])
    for (const frame of frames) {
      const found = pattern.exec(frame)?.[1]
      if (found !== undefined) return found
    }
  return 'platform'
}

/** Escapes of terminals, which would colour or move what is shown. */
const escapes = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[ -/]*[@-~]`, 'g')

/** One line that can be shown: without what cannot be seen, and without the names and passwords of addresses. */
function cleaned(text: string, lengthMax: number): string {
  const line = storableText(text.slice(0, lengthMax * 4))
    .replace(escapes, '')
    .replace(/[\s\p{Cc}\p{Bidi_Control}]+/gu, ' ')
    .replace(/:\/\/[^\s/@]{1,500}@/g, '://…@')
    .trim()
  return line.length > lengthMax ? `${line.slice(0, lengthMax - 1).toWellFormed()}…` : line
}
