import { type JsonValue, WebAddress } from '@leitstand/contract/common'
import type { importProblems } from '@leitstand/contract/driverImport'
import type { DriverSpecs } from '@leitstand/contract/drivers'
import type * as z from 'zod'
import { storableJson, storableText } from '../../../platform/storable.ts'

/** A device that an archive describes. */
export interface FoundDevice {
  /** path of its description in the archive */
  path: string
  manufacturer: string
  model: string
  description: string
  specs: z.infer<typeof DriverSpecs>
  /** null: see `problem` */
  decoder: Decoder | null
  problem: { code: (typeof importProblems)[number]; message: string } | null
}

export interface Decoder {
  /** path of the script in the archive */
  path: string
  script: string
  examples: readonly Example[]
  /** number of examples without values */
  unusable: number
  encoder: boolean
}

/** A message and its expected result from the repository. */
export interface Example {
  title: string
  fPort: number | null
  /** hexadecimal */
  payload: string
  data: JsonValue
}

/** Whatever YAML, TOML or JSON hold. */
export type Unknown = Record<string, unknown>

export function isRecord(value: unknown): value is Unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value as a record; anything else becomes an empty one, because imported files are read leniently. */
export function recordOf(value: unknown): Unknown {
  return isRecord(value) ? value : {}
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** Text without space around it, cut at a length; empty where there is none. */
export function textOf(value: unknown, lengthMax: number): string {
  return typeof value === 'string' ? storableText(value.trim().slice(0, lengthMax)) : ''
}

/** Folder of a path, '' at the top. */
export function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''
}

export function join(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

/** The last part of a path, without its ending. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '')
}

/** Limits of the data of a device from the reader process. */
export const foundLimits = {
  pathCharsMax: 1000,
  messageCharsMax: 500,
  payloadBytesMax: 500,
  /** examples that are tried, and what they may say together */
  examplesMax: 100,
  examplesCharsMax: 200_000,
} as const

/** Examples of a repository → those that say what a message means, and how many do not. */
export function readExamples(
  raw: readonly unknown[],
  expectedKey: 'output' | 'expected',
  titleKey: 'description' | 'name',
): { examples: Example[]; unusable: number } {
  let room: number = foundLimits.examplesCharsMax
  let unusable = 0
  const examples: Example[] = []
  for (const each of raw) {
    const example = exampleOf(recordOf(each), expectedKey, titleKey)
    if (example === undefined || example.json.length > room) unusable += 1
    else if (examples.length < foundLimits.examplesMax) {
      const { json, ...rest } = example
      room -= json.length
      examples.push({ ...rest, data: JSON.parse(json) as JsonValue })
    }
  }
  return { examples, unusable }
}

function exampleOf(
  example: Unknown,
  expectedKey: 'output' | 'expected',
  titleKey: 'description' | 'name',
): (Omit<Example, 'data'> & { json: string }) | undefined {
  const { bytes, fPort } = recordOf(example.input)
  const { data, errors } = recordOf(example[expectedKey])
  const isBytes =
    Array.isArray(bytes) &&
    bytes.length <= foundLimits.payloadBytesMax &&
    bytes.every((byte: unknown) => Number.isInteger(byte) && Number(byte) >= 0 && Number(byte) <= 255)
  if (!isBytes || data === undefined || data === null || listOf(errors).length > 0) return undefined
  const payload = Buffer.from(bytes as number[]).toString('hex')
  const port = Number.isInteger(fPort) && Number(fPort) >= 0 && Number(fPort) <= 255 ? Number(fPort) : null
  // Times of YAML and TOML become text, as in JSON.
  const json = storableJson(JSON.stringify(data))
  return { title: textOf(example[titleKey], 200), fPort: port, payload, json }
}

/** An address people can open, or nothing. */
export function urlOf(...candidates: unknown[]): { documentationUrl?: string } {
  const [found] = candidates.flatMap((each) => WebAddress.safeParse(each).data ?? [])
  return found === undefined ? {} : { documentationUrl: found }
}
