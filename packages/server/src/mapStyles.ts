import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { builtInMapLayouts, type MapStyle } from '@leitstand/contract/maps'
import * as z from 'zod'
import { messageOf } from './platform/errors.ts'

const stylesMax = 20
const hostsMax = 20

const Title = z.string().trim().min(1).max(60)
const Address = z
  .string()
  .max(1000)
  .refine((text) => {
    const url = URL.parse(text)
    return url !== null && ['http:', 'https:'].includes(url.protocol)
  }, 'must be an address that starts with https:// or http://')
  .refine((text) => {
    const url = URL.parse(text)
    return !url?.username && !url?.password
  }, 'must not hold a user name or password: browsers refuse to send them')
const Origin = Address.refine((text) => {
  const url = URL.parse(text)
  return url !== null && [url.origin, `${url.origin}/`].includes(text)
}, 'must be a host without a path, e.g. https://tiles.example.org')

/** A style as the operator configures it. */
const Setting = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,49}$/, 'must be up to 50 of a-z, 0-9 and -')
    .refine(
      (id) => !builtInMapLayouts.some((name) => name === id),
      `must not be ${builtInMapLayouts.join(' or ')}`,
    ),
  title: z.union([Title, z.strictObject({ de: Title, en: Title })], 'must be a text, or { "de", "en" }'),
  light: Address,
  dark: Address.optional(),
  attribution: z.string().trim().max(500).default(''),
  maxZoom: z
    .int('must be a whole number')
    .min(0, 'must be 0 at least')
    .max(22, 'must be 22 at most')
    .default(22),
  hosts: z.array(Origin).max(hostsMax, `must be ${hostsMax} at most`).default([]),
})

const Settings = z
  .array(Setting, 'must be a list')
  .max(stylesMax, `must be ${stylesMax} at most`)
  .refine((styles) => new Set(styles.map(({ id }) => id)).size === styles.length, 'must not use an id twice')

/**
 * Reads the map styles of an installation.
 * @param text JSON, or the path of a JSON file, relative to `cwd`
 * @param secure whether the console is served over TLS: browsers then load only TLS resources
 * @returns the styles, or every problem on a line of its own
 */
export function readMapStyles(
  text: string,
  cwd: string,
  secure: boolean,
): { styles: MapStyle[]; problems: string[] } {
  const failed = (...problems: string[]) => ({ styles: [], problems })
  let json: unknown
  try {
    json = JSON.parse(/^[[{]/.test(text) ? text : readFileSync(resolve(cwd, text), 'utf8'))
  } catch (error) {
    return failed(`MAP_STYLES must be a JSON list, or the path of a file with one: ${messageOf(error)}`)
  }
  const parsed = Settings.safeParse(json)
  if (!parsed.success) {
    return failed(
      ...parsed.error.issues.map(
        ({ path, message }) => `MAP_STYLES${path.map((part) => `[${String(part)}]`).join('')}: ${message}`,
      ),
    )
  }
  const styles = parsed.data.map(({ id, title, light, dark, attribution, maxZoom, hosts }) => ({
    id,
    title: typeof title === 'string' ? { de: title, en: title } : title,
    light,
    dark: dark ?? null,
    attribution,
    maxZoom,
    origins: [
      ...new Set([light, ...(dark === undefined ? [] : [dark]), ...hosts].map((url) => new URL(url).origin)),
    ],
  }))
  const open = secure
    ? styles.filter(({ origins }) => origins.some((origin) => origin.startsWith('http:')))
    : []
  if (open.length === 0) return { styles, problems: [] }
  return failed(
    ...open.map(
      ({ id }) =>
        `MAP_STYLES "${id}" must use https:// addresses, as PUBLIC_URL does: browsers load nothing else`,
    ),
  )
}

/** The distinct origins the console may load from for these styles. */
export function originsOf(styles: readonly MapStyle[]): string[] {
  return [...new Set(styles.flatMap(({ origins }) => origins))]
}
