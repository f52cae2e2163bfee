import { expect, test } from 'vitest'
import { whereIs } from './tts.ts'

test('a key of The Things Stack goes to its own address and to other regions of the same cloud, nowhere else', () => {
  const cloud = 'https://eu1.cloud.thethings.network'
  expect(whereIs(cloud, undefined)).toEqual({})
  expect(whereIs(cloud, 'eu1.cloud.thethings.network')).toEqual({})
  expect(whereIs(cloud, 'nam1.cloud.thethings.network:8884')).toEqual({
    host: 'nam1.cloud.thethings.network',
  })
  expect(
    whereIs('https://city.eu1.cloud.thethings.industries', 'city.au1.cloud.thethings.industries'),
  ).toEqual({
    host: 'city.au1.cloud.thethings.industries',
  })
  for (const elsewhere of [
    'js.maker.example',
    'eu1.cloud.thethings.industries',
    'evil.example/.cloud.thethings.network',
    'user@evil.cloud.thethings.network',
  ])
    expect(whereIs(cloud, elsewhere)).toBeUndefined()
  expect(whereIs('https://lora.example.org:1885', 'lora.example.org:1884')).toEqual({})
  expect(whereIs('https://lora.example.org', 'nam1.cloud.thethings.network')).toBeUndefined()
})
