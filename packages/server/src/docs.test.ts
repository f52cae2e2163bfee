import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** Path of a test named in docs/security.md: below the sources of the server, unless it says otherwise. */
const placeOf = (name: string) => (/^(e2e|packages)\//.test(name) ? name : `packages/server/src/${name}`)

describe('docs/security.md', () => {
  const lines = read('docs/security.md').split('\n')
  const requirements = lines.filter((line) => /^\| \d/.test(line))
  const testsOf = (line: string) =>
    [...line.matchAll(/`([\w./-]+\.test\.tsx?)`/g)].map(([, name = '']) => name)

  test('names tests that are there', () => {
    const named = new Set(lines.flatMap(testsOf))
    expect(named.size).toBeGreaterThan(40)
    expect([...named].filter((name) => !existsSync(join(root, placeOf(name))))).toEqual([])
  })

  test('has a test for each requirement that applies, and each requirement once', () => {
    expect(requirements.length).toBeGreaterThan(120)
    const bare = requirements.filter((line) => testsOf(line).length === 0)
    expect(bare.filter((line) => !line.includes('Not applicable'))).toEqual([])
    const numbers = requirements.map((line) => line.split('|')[1]?.trim())
    expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([])
  })
})

describe('what is delivered', () => {
  test('writes no raw HTML and makes no code of texts', () => {
    const files = globSync('packages/{contract,server,web}/src/**/*.{ts,tsx}', { cwd: root })
    expect(files.length).toBeGreaterThan(500)
    // The script sandbox exists to turn text into code.
    const sources = files.filter((file) => !/\.test\.tsx?$/.test(file) && !file.includes('platform/scripts/'))
    const risky = /dangerouslySetInnerHTML|\.(inner|outer)HTML\b|insertAdjacentHTML|\beval\(|new Function\(/
    expect(sources.filter((file) => risky.test(read(file)))).toEqual([])
  })

  test('loads nothing from elsewhere, and runs no script in the page itself', () => {
    const page = read('packages/web/index.html')
    const scripts = [...page.matchAll(/<script\b([^>]*)>([^<]*)/g)]
    expect(scripts.length).toBeGreaterThan(0)
    for (const [, attributes, content] of scripts) {
      expect(attributes).toMatch(/src="\//)
      expect(content?.trim()).toBe('')
    }
    expect(page).not.toMatch(/(src|href)="(https?:)?\/\//)
    expect(page).not.toMatch(/\son\w+=/)
  })

  test('comes from one registry, each package pinned, what is installed here with its checksum', () => {
    interface Locked {
      version?: string
      link?: boolean
      resolved?: string
      integrity?: string
      optional?: boolean
    }
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> }
    const foreign = Object.entries(packages).filter(
      ([path, { link }]) => path.includes('node_modules/') && !link,
    )
    expect(foreign.length).toBeGreaterThan(100)
    const loose = foreign.filter(
      ([, { version, resolved, integrity, optional }]) =>
        version === undefined ||
        resolved !== undefined ||
        // Packages for other processors are not installed here, so their checksum is unknown.
        !(integrity?.startsWith('sha512-') || (integrity === undefined && optional)),
    )
    expect(loose.map(([path]) => path)).toEqual([])
  })
})
