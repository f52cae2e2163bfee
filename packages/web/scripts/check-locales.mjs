// Finds texts that are missing, unused or untranslated. Needs nothing but Node.
//
// A key is used if the code contains it as a whole text ('nav.skip'), or when the code builds it at run time from a
// template that begins with a fixed part (`errors.${code}`, `screens.${key}.title`): then every key that fits counts.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const src = fileURLToPath(new URL('../src', import.meta.url))
const languages = ['de', 'en']

/** Words that are the same in both languages on purpose. */
const sameInBoth =
  /^(\W*|OK|Live|Offline|Dashboards?|Accounts?|Filter|Tickets?|Gateways?|Name|Status|Text|Version|Deutsch|English|InfluxDB|The Things Stack v3|ChirpStack v4|.*\{\{.*)$/

/** @param {Record<string, unknown>} node @returns {[string, string][]} */
function flatten(node, prefix = '') {
  return Object.entries(node).flatMap(([key, value]) =>
    typeof value === 'string' ? [[prefix + key, value]] : flatten(value, `${prefix}${key}.`),
  )
}

/** @param {string} folder @returns {string[]} */
function sources(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /(?<!\.test)\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
}

const texts = Object.fromEntries(
  languages.map((language) => [
    language,
    new Map(flatten(JSON.parse(readFileSync(join(src, 'locales', `${language}.json`), 'utf8')))),
  ]),
)
const code = sources(src).map((file) => readFileSync(file, 'utf8'))
const all = code.join('\n')

const literals = new Set(
  [...all.matchAll(/['"`]([A-Za-z0-9_]+(?:\.[A-Za-z0-9_-]+)+)['"`]/g)].map((match) => match[1]),
)
const patterns = [...all.matchAll(/`([A-Za-z0-9_]+\.(?:[A-Za-z0-9_.-]*)\$\{[^`]*)`/g)]
  .map((match) => match[1])
  .map((template) => {
    const parts = template.split(/\$\{[^}]*\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    return new RegExp(`^${parts.join('.+')}$`)
  })

/** Plural forms (`count_one`) belong to their base key. */
const base = (key) => key.replace(/_(zero|one|two|few|many|other)$/, '')
const isUsed = (key) => literals.has(base(key)) || patterns.some((pattern) => pattern.test(base(key)))

const problems = []
const [first, second] = languages.map((language) => texts[language])
for (const key of first.keys()) if (!second.has(key)) problems.push(`missing in ${languages[1]}: ${key}`)
for (const key of second.keys()) if (!first.has(key)) problems.push(`missing in ${languages[0]}: ${key}`)
for (const [key, text] of first) {
  if (!isUsed(key)) problems.push(`unused: ${key}`)
  const other = second.get(key)
  if (other === text && text.length > 12 && text.includes(' ') && !sameInBoth.test(text)) {
    problems.push(`not translated: ${key}`)
  }
  if (text.trim() === '') problems.push(`empty: ${key}`)
  const names = (value) =>
    [...(value ?? '').matchAll(/\{\{(\w+)\}\}/g)]
      .map((match) => match[1])
      .sort()
      .join()
  if (other !== undefined && names(text) !== names(other)) problems.push(`different placeholders: ${key}`)
}

const known = new Set([...first.keys()].map(base))
for (const match of all.matchAll(/\bt\(\s*'([^']+)'/g))
  if (!known.has(match[1])) problems.push(`no text for t('${match[1]}')`)
for (const match of all.matchAll(/i18next\.t\(\s*'([^']+)'/g))
  if (!known.has(match[1])) problems.push(`no text for t('${match[1]}')`)

if (problems.length > 0) {
  console.error([...new Set(problems)].sort().join('\n'))
  console.error(`\n${new Set(problems).size} problems in the locale files`)
  process.exit(1)
}
console.log(`${first.size} texts in ${languages.length} languages, all used and translated`)
