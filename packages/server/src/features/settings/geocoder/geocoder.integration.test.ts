import { beforeEach, describe, expect, test } from 'vitest'
import { startGeocoder } from '../../../../test/geocoder.ts'
import { createApi, createApiWith, FakeClock, startApp } from '../../../../test/kit.ts'
import { readConfig } from '../../../config.ts'

const fake = await startGeocoder()
const clock = new FakeClock()
const open = async (kind: 'photon' | 'nominatim', env: Record<string, string> = {}) => {
  const { geocoder } = readConfig(
    { GEOCODER_URL: fake.url, GEOCODER_KIND: kind, GEOCODER_PER_SECOND: '100', ...env },
    '/',
  )
  return startApp({ config: { geocoder }, clock })
}
const photon = await open('photon', { GEOCODER_HEADER: 'X-Api-Key: 4711' })
const nominatim = await open('nominatim', { GEOCODER_CONTACT: 'maps@example.org' })

beforeEach(() => {
  fake.asked.length = 0
  fake.answer = undefined
  // The look-ups of a user are refilled.
  clock.advance(3_600_000)
})

const townHall = { address: 'Marktplatz 1, 12345 Musterstadt', latitude: 53.5504, longitude: 10.0013 }

describe('addresses', () => {
  test('are looked up at Photon; places that make no sense are left out', async () => {
    const { items } = await photon.api.geocoder.search({ text: ' Rathaus Musterstadt ' })
    expect(items).toEqual([
      { title: 'Rathaus, Marktplatz 1, Altstadt, 12345 Musterstadt, Hessen, Deutschland', ...townHall },
      {
        title: 'Musterstadt, Hessen, Deutschland',
        address: 'Musterstadt',
        latitude: 53.55,
        longitude: 10,
      },
    ])
    expect(fake.asked).toEqual(['/api?q=Rathaus+Musterstadt&lang=de&limit=8'])
    expect(fake.headers).toMatchObject({
      'x-api-key': '4711',
      'user-agent': 'IoT-Platform (http://localhost:8080)',
    })
  })

  test('are looked up at Nominatim, which learns whom to write to', async () => {
    const headers = { authorization: `Bearer ${nominatim.token}`, 'accept-language': 'en' }
    const english = createApiWith(nominatim.url, headers)
    const { items } = await english.geocoder.search({ text: 'Rathaus & more' })
    expect(items).toEqual([
      { title: 'Rathaus, 1, Marktplatz, Altstadt, Musterstadt, Hessen, 12345, Deutschland', ...townHall },
    ])
    expect(fake.asked).toEqual([
      '/search?q=Rathaus+%26+more&format=jsonv2&addressdetails=1&limit=8&accept-language=en',
    ])
    expect(fake.headers['user-agent']).toBe('IoT-Platform (http://localhost:8080; maps@example.org)')
  })

  test('of a position are looked up; there may be none', async () => {
    const { items } = await nominatim.api.geocoder.reverse({ latitude: 53.550401, longitude: 10.001299 })
    expect(items).toEqual([expect.objectContaining(townHall)])
    expect(fake.asked[0]).toContain('/reverse?lat=53.5504&lon=10.0013&')
    fake.answer = (reply) => reply.end('{"error":"Unable to geocode"}')
    expect(await nominatim.api.geocoder.reverse({ latitude: 0, longitude: 0 })).toEqual({ items: [] })
  })

  test('of a position come from Photon, too', async () => {
    const under = await open('photon', { GEOCODER_URL: `${fake.url}/photon/` })
    const { items } = await under.api.geocoder.reverse({ latitude: 53.55, longitude: 10 })
    expect(items).toEqual([expect.objectContaining(townHall)])
    expect(fake.asked).toEqual(['/photon/reverse?lat=53.55&lon=10&lang=de&limit=1'])
  })

  test('asked for again come from memory', async () => {
    const input = { text: 'Once only' }
    const first = await photon.api.geocoder.search(input)
    expect(await photon.api.geocoder.search(input)).toEqual(first)
    expect(fake.asked).toHaveLength(1)
  })
})

describe('a geocoder that fails', () => {
  test.each([
    ['is down', 'GEOCODER_UNREACHABLE', 500, 'x'],
    ['refuses us', 'GEOCODER_UNREACHABLE', 403, 'blocked'],
    ['sends us elsewhere', 'GEOCODER_UNREACHABLE', 302, ''],
    ['sends no JSON', 'GEOCODER_ANSWER_INVALID', 200, '<html>'],
    ['sends something else', 'GEOCODER_ANSWER_INVALID', 200, '{"places":[]}'],
    ['sends too much', 'GEOCODER_UNREACHABLE', 200, ' '.repeat(400_000)],
  ])('%s', async (name, code, status, body) => {
    fake.answer = (reply) => reply.writeHead(status, { location: 'http://169.254.169.254/' }).end(body)
    const search = photon.api.geocoder.search({ text: `it ${name}` })
    await expect(search).rejects.toMatchObject({ code })
    expect(fake.asked).toHaveLength(1)
    // A failure is not remembered.
    fake.answer = undefined
    expect((await photon.api.geocoder.search({ text: `it ${name}` })).items).toHaveLength(2)
  })

  test('sends long and odd texts, which are cut', async () => {
    const properties = { name: `Hall\u0000\n${'x'.repeat(990)}`, city: 7 }
    const feature = { geometry: { coordinates: [1, 2] }, properties }
    fake.answer = (reply) =>
      reply.end(JSON.stringify({ features: Array.from({ length: 100 }, () => feature) }))
    const { items } = await photon.api.geocoder.search({ text: 'long' })
    expect(items).toHaveLength(8)
    expect(items[0]?.title).toMatch(/^Hall x{100,}$/)
    expect(items[0]?.title.length).toBeLessThanOrEqual(500)
  })
})

describe('look-ups', () => {
  test('of a user are limited', async () => {
    const codes: string[] = []
    for (let index = 0; index < 12; index++)
      await photon.api.geocoder.search({ text: `street ${index}` }).catch((error) => codes.push(error.code))
    expect(codes).toEqual(['TOO_MANY_REQUESTS', 'TOO_MANY_REQUESTS'])
    expect(fake.asked).toHaveLength(10)
  })

  test('of the installation take turns; nobody waits long for one', async () => {
    const slow = await open('photon', { GEOCODER_PER_SECOND: '0.1' })
    await slow.api.geocoder.search({ text: 'first' })
    await expect(slow.api.geocoder.search({ text: 'second' })).rejects.toMatchObject({ code: 'OVERLOADED' })
    expect(fake.asked).toHaveLength(1)
  })

  test('are offered if there is a geocoder', async () => {
    expect(await photon.api.geocoder.state()).toEqual({
      enabled: true,
      attribution: '© OpenStreetMap contributors',
    })
    const off = await startApp()
    expect(await off.api.geocoder.state()).toEqual({ enabled: false, attribution: '' })
    await expect(off.api.geocoder.search({ text: 'somewhere' })).rejects.toMatchObject({
      code: 'GEOCODER_OFF',
    })
    await expect(createApi(photon.url).geocoder.search({ text: 'somewhere' })).rejects.toMatchObject({
      status: 401,
    })
  })
})
