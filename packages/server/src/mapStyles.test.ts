import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ConfigError, readConfig } from './config.ts'
import { originsOf, readMapStyles } from './mapStyles.ts'

const city = { id: 'city', title: 'City', light: 'https://maps.example.org/styles/city/style.json?key=k1' }
const read = (value: unknown, secure = false) => readMapStyles(JSON.stringify(value), '/', secure)

test('a style has its titles in both languages, and the origins it is loaded from, each once', () => {
  const { styles, problems } = read([
    city,
    {
      id: 'air',
      title: { de: 'Luftbild', en: 'Aerial' },
      light: 'https://a.example.org/day.json',
      dark: 'https://a.example.org/night.json',
      attribution: '© Vermessungsamt',
      maxZoom: 17,
      hosts: ['https://tiles.example.org', 'http://10.1.2.3:8080/'],
    },
  ])
  expect(problems).toEqual([])
  expect(styles).toEqual([
    {
      id: 'city',
      title: { de: 'City', en: 'City' },
      light: city.light,
      dark: null,
      attribution: '',
      maxZoom: 22,
      origins: ['https://maps.example.org'],
    },
    {
      id: 'air',
      title: { de: 'Luftbild', en: 'Aerial' },
      light: 'https://a.example.org/day.json',
      dark: 'https://a.example.org/night.json',
      attribution: '© Vermessungsamt',
      maxZoom: 17,
      origins: ['https://a.example.org', 'https://tiles.example.org', 'http://10.1.2.3:8080'],
    },
  ])
  expect(originsOf([...styles, ...styles])).toEqual([
    'https://maps.example.org',
    ...['https://a.example.org', 'https://tiles.example.org', 'http://10.1.2.3:8080'],
  ])
})

test('styles may stand in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'leitstand-maps-'))
  try {
    writeFileSync(join(folder, 'maps.json'), JSON.stringify([city]))
    expect(readConfig({ MAP_STYLES: 'maps.json' }, folder).mapStyles.map(({ id }) => id)).toEqual(['city'])
    expect(() => readConfig({ MAP_STYLES: 'none.json' }, folder)).toThrow(
      /MAP_STYLES must be a JSON list, or the path of a file with one: ENOENT/,
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test.each([
  ['no list', {}, 'MAP_STYLES: must be a list'],
  [
    'a built-in id',
    [{ ...city, id: 'atlas' }],
    'MAP_STYLES[0][id]: must not be plain or atlas or high-contrast or always-dark',
  ],
  ['a zoom no map has', [{ ...city, maxZoom: 23 }], 'MAP_STYLES[0][maxZoom]: must be 22 at most'],
  ['half a zoom', [{ ...city, maxZoom: 1.5 }], 'MAP_STYLES[0][maxZoom]: must be a whole number'],
  ['an odd id', [{ ...city, id: 'Ä' }], 'MAP_STYLES[0][id]: must be up to 50 of a-z, 0-9 and -'],
  ['an id twice', [city, city], 'MAP_STYLES: must not use an id twice'],
  [
    'another protocol',
    [{ ...city, light: 'mapbox://styles/x' }],
    'MAP_STYLES[0][light]: must be an address that starts with https:// or http://',
  ],
  [
    'a password',
    [{ ...city, light: 'https://me:secret@maps.example.org/x' }],
    'MAP_STYLES[0][light]: must not hold a user name or password: browsers refuse to send them',
  ],
  [
    'a host that is more',
    [{ ...city, hosts: ["https://x.example.org/; script-src 'unsafe-inline'"] }],
    'MAP_STYLES[0][hosts][0]: must be a host without a path, e.g. https://tiles.example.org',
  ],
  ['a word nobody knows', [{ ...city, url: 'x' }], 'MAP_STYLES[0]: Unrecognized key: "url"'],
])('%s is refused with a sentence', (_, value, problem) => {
  expect(read(value).problems).toEqual([problem])
})

test('behind TLS all of it has to come by TLS', () => {
  const open = { ...city, hosts: ['http://tiles.example.org'] }
  expect(read([open]).problems).toEqual([])
  expect(read([open], true).problems).toEqual([
    'MAP_STYLES "city" must use https:// addresses, as PUBLIC_URL does: browsers load nothing else',
  ])
  const env = { PUBLIC_URL: 'https://iot.example.org', MAP_STYLES: JSON.stringify([open]) }
  expect(() => readConfig(env, '/')).toThrow(ConfigError)
})
