import { readFileSync } from 'node:fs'
import type { PredefinedDownlink } from '@leitstand/contract/downlinks'
import { Translated } from '@leitstand/contract/driverLibrary'
import { z } from 'zod'

/** A text in both languages; names that are the same in both stand once. */
const Label = z.union([z.string().min(1), Translated])

/** As the contract has it, with its texts in both languages. What it must be beyond that is checked when it is localised. */
const Parameter = z.looseObject({
  key: z.string(),
  title: Label,
  options: z.array(z.strictObject({ value: z.int(), title: Label })).optional(),
})

/**
 * A downlink that the maker documents. Each example is run by the tests: `published` bytes stand in the documentation,
 * `own` ones were put together from it.
 */
export const LibraryDownlink = z.strictObject({
  name: Translated,
  description: Translated.optional(),
  port: z.int(),
  /** base16 */
  payload: z.string(),
  parameters: z.array(Parameter).default([]),
  documentationUrl: z.url(),
  examples: z
    .array(
      z.strictObject({
        values: z.record(z.string(), z.union([z.number(), z.boolean(), z.string()])),
        bytes: z.string().regex(/^(?:[0-9a-f]{2})+$/),
        source: z.enum(['published', 'own']),
      }),
    )
    .min(1),
})
export type LibraryDownlink = z.infer<typeof LibraryDownlink>

/** What the devices of a maker have in common, with what is different for one driver. */
export const SharedDownlink = LibraryDownlink.partial().extend({
  /** `family.id` in `families/<family>.downlinks.json` */
  use: z.string().regex(/^[a-z0-9-]+\.[a-z_]+$/),
  parameters: z.array(Parameter).optional(),
  /** stands behind the name, where several devices of a driver need different bytes */
  model: z.string().min(1).optional(),
})

const Family = z.record(z.string(), LibraryDownlink)
const families = new Map<string, z.infer<typeof Family>>()

function readFamily(family: string): z.infer<typeof Family> {
  const known = families.get(family)
  if (known) return known
  const file = new URL(`./families/${family}.downlinks.json`, import.meta.url)
  const read = Family.parse(JSON.parse(readFileSync(file, 'utf8')))
  families.set(family, read)
  return read
}

/**
 * A downlink in full.
 * @throws Error when it refers to one that its family does not have
 */
export function findDownlink(downlink: LibraryDownlink | z.infer<typeof SharedDownlink>): LibraryDownlink {
  if (!('use' in downlink)) return downlink
  const { use, model, ...differences } = downlink
  const [family = '', id = ''] = use.split('.')
  const shared = readFamily(family)[id]
  if (!shared) throw new Error(`There is no downlink ${use}`)
  const own = Object.fromEntries(Object.entries(differences).filter(([, value]) => value !== undefined))
  const full = LibraryDownlink.parse({ ...shared, ...own })
  if (model === undefined) return full
  return { ...full, name: { de: `${full.name.de} (${model})`, en: `${full.name.en} (${model})` } }
}

const textOf = (label: z.infer<typeof Label>, language: 'de' | 'en'): string =>
  typeof label === 'string' ? label : label[language]

/** A downlink as a stored driver has it, before it is checked. */
export function localiseDownlink(
  { name, description, port, payload, parameters }: LibraryDownlink,
  language: 'de' | 'en',
): Pick<PredefinedDownlink, 'name' | 'description' | 'port' | 'payload'> & { parameters: unknown[] } {
  return {
    name: name[language],
    description: description?.[language] ?? '',
    port,
    payload,
    parameters: parameters.map(({ title, options, ...parameter }) => ({
      ...parameter,
      title: textOf(title, language),
      ...(options && {
        options: options.map(({ value, title: label }) => ({ value, title: textOf(label, language) })),
      }),
    })),
  }
}
