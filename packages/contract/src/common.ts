import { oc } from '@orpc/contract'
import * as z from 'zod'
import type { AccessRule } from './permissions.ts'

/** Metadata of every operation besides its route: who may call it. */
export interface OperationMeta {
  rule?: AccessRule
  /** may be called before the user has set up a second factor that the account requires */
  beforeTwoFactor?: true
  /** verifies a secret, or sends mails for anonymous callers: calls are rate-limited by address */
  guessed?: true
  /** changes permissions or sign-in: cached data about them is dropped before the response */
  changes?: 'rights'
  /**
   * `replica`: lists, charts and files that only read; their statements may go to a read replica. `noted`: it reports what
   * others have done for the caller, such as a job, which later reads of the caller must include
   */
  reads?: 'replica' | 'noted'
  /**
   * For callers who look through the eyes of a user and may change nothing (`auth.look`); by default they may call
   * operations with GET and no others. `asks`: it changes nothing although its method is not GET. `closed`: it
   * reveals a secret. `ends`: it ends the look.
   */
  look?: 'asks' | 'closed' | 'ends'
  /** client timeout; default see timeouts.ts. The server gives up after half of it */
  clientTimeoutMs?: number
  /** accepts files as multipart form, of at most this total size; other operations accept JSON only */
  fileBytesMax?: number
  /**
   * maximum files; if set, files are optional and JSON is accepted as well; without it exactly one file is
   * required
   */
  filesMax?: number
}

/** Start of every operation of the contract. */
export const operation = oc.$meta<OperationMeta>({})

/** Identifier of an object of the platform. */
export const Id = z.int().positive()

/** ISO 8601 in UTC with milliseconds, e.g. `2026-11-20T08:15:00.000Z`. */
export const Time = z.iso.datetime({ offset: true })

/** What lists and values can be downloaded as. */
export const fileFormats = ['csv', 'xlsx', 'jsonl', 'parquet'] as const
export const FileFormat = z.enum(fileFormats)
export type FileFormat = z.infer<typeof FileFormat>

/** How a list becomes a file. */
export const ListFileInput = {
  format: FileFormat.default('csv'),
  /** of titles; German spreadsheets expect semicolons in CSV, English ones commas */
  language: z.enum(['de', 'en']).default('en'),
}

/** A list as a file. Files for people say in their last line if rows are left out, a header of the answer always does. */
export const ListFile = z.object({
  headers: z.object({
    'content-type': z.string(),
    'content-disposition': z.string(),
    'x-rows-left-out': z.literal('true').optional(),
  }),
  /** the file */
  body: z.unknown(),
})

/** The `version` that the writer read; a write with an older one is refused with `VERSION_CONFLICT`. */
export const Version = z.int().min(1)

export const limits = {
  pageDefault: 20,
  pageMax: 1000,
  titleLengthMax: 200,
  textLengthMax: 4000,
  tagsMax: 50,
  keyValuesMax: 100,
  scriptLengthMax: 262_144,
  payloadBytesMax: 65_536,
  bodyBytesMax: 1_048_576,
  /** values in a body, including lists and objects: a megabyte of empty lists would block the server */
  bodyValuesMax: 60_000,
  /** named values among them, which are more expensive */
  bodyKeysMax: 25_000,
  /** maximum rate limit of a connector or an account */
  messagesPerSecondMax: 100_000,
} as const

/**
 * A value that may occur once or several times in a query (`a=1` or `a=1&a=2`); always parsed as an array.
 */
export function listOf<T extends z.ZodType>(item: T) {
  return z.preprocess(
    (value) => (value === undefined || Array.isArray(value) ? value : [value]),
    z.array(item).max(1000),
  )
}

/** A value that is JSON text in a URL. */
export function jsonText<T extends z.ZodType>(value: T) {
  return z.preprocess(parsedJson, value)
}

/** Parses JSON text; invalid JSON is left for the schema to refuse. */
function parsedJson(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch (error) {
    if (error instanceof SyntaxError) return value
    throw error
  }
}

/** Paging of every list: at most 1 000 rows per page, 20 by default. */
export const Paging = {
  offset: z.int().min(0).default(0),
  limit: z.int().min(1).max(limits.pageMax).default(limits.pageDefault),
}

/**
 * One page of a list. `total` counts all rows that match the filter.
 */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), total: z.int(), offset: z.int(), limit: z.int() })
}

export const Title = z.string().trim().min(1).max(limits.titleLengthMax)
export const Text = z.string().max(limits.textLengthMax)

/**
 * Whether a text is a web address that is safe as a link: absolute, http or https, without user name or
 * password. Browsers execute `javascript:` URLs, and strip blanks and control characters before parsing a
 * URL.
 */
export function isWebAddress(text: string): boolean {
  const url = /^https?:\/\/[^\s\\\p{Cc}]+$/iu.test(text) ? URL.parse(text) : null
  return url !== null && url.username === '' && url.password === '' && !/^[^/]*\/\/[^/?#]*@/.test(text)
}

/** A URL that users open by clicking. */
export const WebAddress = z.string().max(500).refine(isWebAddress, 'url')
export const Tags = z.array(z.string().trim().min(1).max(100)).max(limits.tagsMax)
/** Free key/value pairs of a user. */
export const KeyValues = z
  .record(z.string().min(1).max(100), z.string().max(1000))
  .refine((pairs) => Object.keys(pairs).length <= limits.keyValuesMax, 'too many keys')

/** Response of an operation that only confirms success. */
export const Done = z.object({ ok: z.literal(true) })

/** Any JSON value. */
export const Json: z.ZodType<JsonValue> = z.any().refine(isJson, 'not JSON') as z.ZodType<JsonValue>
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }

/** Whether a value can be written as JSON without a loss; visits each value in it once. */
export function isJson(value: unknown): value is JsonValue {
  const waiting: unknown[] = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (next === null || typeof next === 'string' || typeof next === 'boolean') continue
    if (typeof next === 'number') {
      if (!Number.isFinite(next)) return false
    } else if (Array.isArray(next)) {
      for (const item of next) waiting.push(item)
    } else if (isPlain(next)) {
      for (const item of Object.values(next)) waiting.push(item)
    } else return false
  }
  return true
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}

/** Sort order of a list: column name, descending with a leading minus. */
export function orderBy<const T extends readonly [string, ...string[]]>(columns: T) {
  const both = columns.flatMap((column) => [column, `-${column}`]) as [T[number], `-${T[number]}`]
  return z.enum(both)
}
