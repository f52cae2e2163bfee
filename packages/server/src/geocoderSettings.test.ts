import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from './config.ts'

const own = { GEOCODER_URL: 'https://photon.example.org/', GEOCODER_KIND: 'photon' }
const publicOne = { GEOCODER_URL: 'https://nominatim.openstreetmap.org', GEOCODER_KIND: 'nominatim' }

describe('the geocoder of an installation', () => {
  test('is off by default', () => {
    expect(readConfig({}, '/').geocoder).toBeNull()
  })

  test('has an address, a kind, and what it asks of its users', () => {
    expect(readConfig(own, '/').geocoder).toEqual({
      kind: 'photon',
      url: 'https://photon.example.org',
      headers: {},
      contact: '',
      attribution: '© OpenStreetMap contributors',
      perSecond: 1,
    })
    const more = {
      GEOCODER_HEADER: 'X-Api-Key: a b:c',
      GEOCODER_PER_SECOND: '10',
      GEOCODER_ATTRIBUTION: '© Vermessungsamt',
      ADMIN_EMAIL: 'iot@example.org',
    }
    expect(readConfig({ ...own, ...more }, '/').geocoder).toMatchObject({
      headers: { 'X-Api-Key': 'a b:c' },
      contact: 'iot@example.org',
      attribution: '© Vermessungsamt',
      perSecond: 10,
    })
  })

  test('on the servers of OpenStreetMap is asked once a second at most, by an operator who can be reached', () => {
    expect(() => readConfig(publicOne, '/')).toThrow('GEOCODER_CONTACT must be set')
    const contact = { GEOCODER_CONTACT: 'maps@example.org', ADMIN_EMAIL: 'iot@example.org' }
    const { geocoder } = readConfig({ ...publicOne, ...contact, GEOCODER_PER_SECOND: '5' }, '/')
    expect(geocoder).toMatchObject({ contact: 'maps@example.org', perSecond: 1 })
    const slow = readConfig({ ...publicOne, ...contact, GEOCODER_PER_SECOND: '0.5' }, '/')
    expect(slow.geocoder?.perSecond).toBe(0.5)
  })

  test.each([
    [{ GEOCODER_URL: own.GEOCODER_URL }, 'belong together'],
    [{ GEOCODER_KIND: 'photon' }, 'belong together'],
    [{ ...own, GEOCODER_KIND: 'google' }, 'GEOCODER_KIND must be photon or nominatim'],
    [{ ...own, GEOCODER_URL: 'file:///etc/passwd' }, 'GEOCODER_URL must be an address'],
    [{ ...own, GEOCODER_URL: 'https://photon.example.org/?key=1' }, 'without a query'],
    [{ ...own, GEOCODER_HEADER: 'no header' }, 'GEOCODER_HEADER must be a header'],
    [{ ...own, GEOCODER_HEADER: 'X-Key: a\r\nX-Other: b' }, 'GEOCODER_HEADER must be a header'],
    [{ ...own, GEOCODER_CONTACT: 'me' }, 'GEOCODER_CONTACT must be an e-mail address'],
    [{ ...own, GEOCODER_PER_SECOND: '0' }, 'GEOCODER_PER_SECOND must be at least 0.1'],
    [{ ...own, GEOCODER_PER_SECOND: '1000' }, 'GEOCODER_PER_SECOND must be at most 100'],
  ])('is refused: %o', (env, problem) => {
    expect(() => readConfig(env, '/')).toThrow(ConfigError)
    expect(() => readConfig(env, '/')).toThrow(problem)
  })
})
