/**
 * The drivers that come with the platform: one folder each with the script, what it measures, and golden packets that
 * it must decode. Device knowledge is data; what is here was written from the makers' descriptions of their messages.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { Json } from '@leitstand/contract/common'
import { PredefinedDownlinks } from '@leitstand/contract/downlinks'
import { libraryCategories, Translated } from '@leitstand/contract/driverLibrary'
import { DriverSpecs, GoldenPacket } from '@leitstand/contract/drivers'
import { HealthConfig, HealthEntry } from '@leitstand/contract/health'
import { z } from 'zod'
import { findDownlink, LibraryDownlink, localiseDownlink, SharedDownlink } from './downlinks.ts'

const VARIABLE_NAME = /^[a-z][a-z0-9_]*$/

/**
 * What a name of a published decoding means here: the variable, and what has to be done with the published value to get
 * ours. `plus` and `times` name another published value, `strip` what stands behind a number, `values` the meaning of a
 * text or number, `absent` values that stand for no value, `decimals` to how many the published value was rounded.
 */
const PublishedName = z.union([
  z.string(),
  z.strictObject({
    variable: z.string(),
    factor: z.number().optional(),
    plus: z.string().optional(),
    times: z.string().optional(),
    number: z.literal(true).optional(),
    strip: z.string().optional(),
    values: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    absent: z.array(z.union([z.string(), z.number()])).optional(),
    decimals: z.int().optional(),
  }),
  z.strictObject({ omitted: z.string().min(1) }),
])

/** Where our names differ from those of the published decodings; what is not named is the same in both. */
const Published = z.strictObject({
  /** ports whose messages answer settings: they measure nothing, whatever is published about them */
  replies: z.array(z.int()).default([]),
  names: z.record(z.string(), PublishedName).default({}),
})
export type Published = z.infer<typeof Published>

const Meta = z.strictObject({
  key: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)+$/),
  title: z.string().min(1).max(100),
  manufacturer: z.string().min(1).max(200),
  model: z.string().min(1).max(200),
  /** the files below `families` that the script is completed with: what several devices have in common */
  families: z.array(z.string().regex(/^[a-z0-9-]+$/)).default([]),
  category: z.enum(libraryCategories),
  description: Translated,
  specs: DriverSpecs,
  variables: z
    .array(
      z.strictObject({ key: z.string().regex(VARIABLE_NAME), unit: z.string().max(30), title: Translated }),
    )
    .min(1)
    .max(200),
  /** what can be wrong with a device of this kind */
  health: z.array(HealthEntry.extend({ description: Translated })).default([]),
  /** what can be sent to it, as the maker documents it */
  downlinks: z.array(z.union([LibraryDownlink, SharedDownlink])).default([]),
  published: Published.default({ replies: [], names: {} }),
})

/**
 * `published`: bytes and values that the maker or a public device repository gives; `own`: made by us. The published
 * values stand beside ours where a device repository gives them. `refused`: the published decoding fails, as must ours.
 */
const LibraryPacket = GoldenPacket.extend({
  source: z.enum(['published', 'own']),
  published: z.record(z.string(), Json).optional(),
  refused: z.literal(true).optional(),
})
type LibraryPacket = z.infer<typeof LibraryPacket>

/** A driver of the library. `key` is its identity for ever: installed drivers find their update by it. */
export type LibraryDriver = Omit<z.infer<typeof Meta>, 'downlinks'> & {
  readonly downlinks: readonly LibraryDownlink[]
  readonly script: string
  readonly golden: readonly LibraryPacket[]
  /** packets that it must refuse */
  readonly refused: readonly LibraryPacket[]
}

export type LibraryLanguage = keyof z.infer<typeof Translated>

let loaded: readonly LibraryDriver[] | undefined

/**
 * All drivers of the library, by key. Read and checked once.
 * @throws Error that names the folder whose files are not as they should be
 */
export function libraryDrivers(): readonly LibraryDriver[] {
  loaded ??= readdirSync(new URL('.', import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'families')
    .map((entry) => load(entry.name))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
  return loaded
}

/** One driver of the library, undefined when there is none of that key. */
export function libraryDriver(key: string): LibraryDriver | undefined {
  return libraryDrivers().find((driver) => driver.key === key)
}

/** A driver of the library as a stored driver has it: texts in one language, without what only the library needs. */
export function localise(driver: LibraryDriver, language: LibraryLanguage) {
  const { title, manufacturer, model, specs, script } = driver
  return {
    title,
    manufacturer,
    model,
    specs,
    script,
    libraryKey: driver.key,
    description: driver.description[language],
    variables: driver.variables.map(({ key, unit, title: texts }) => ({ key, unit, title: texts[language] })),
    golden: driver.golden.map(({ source: _, published: __, refused: ___, ...packet }) => packet),
    health: HealthConfig.parse({
      entries: driver.health.map((entry) => ({ ...entry, description: entry.description[language] })),
    }),
    downlinks: PredefinedDownlinks.parse(
      driver.downlinks.map((downlink) => localiseDownlink(downlink, language)),
    ),
  }
}

function load(folder: string): LibraryDriver {
  const read = (file: string): string => readFileSync(new URL(`./${folder}/${file}`, import.meta.url), 'utf8')
  try {
    const meta = Meta.parse(JSON.parse(read('meta.json')))
    if (meta.key !== folder) throw new Error(`The key is ${meta.key}`)
    const packets = z.array(LibraryPacket).parse(JSON.parse(read('golden.json')))
    const golden = packets.filter(({ refused }) => !refused)
    if (golden.length === 0) throw new Error('It has no golden packet')
    const parts = ['driver.js', ...meta.families.map((family) => `../families/${family}.js`)]
    const script = parts.map(read).join('\n')
    const downlinks = meta.downlinks.map(findDownlink)
    return { ...meta, downlinks, script, golden, refused: packets.filter(({ refused }) => refused) }
  } catch (cause) {
    throw new Error(`The library driver ${folder} cannot be loaded`, { cause })
  }
}
