import { mapDefaults as settingsDefaults } from '@leitstand/contract/mapSettings'
import { describe, expect, it } from 'vitest'
import { frameCode, mapDefaults, mapOptionsOf, mapQueryOf, optionsOf, pageAddress } from './address.ts'

describe('the options of a public map', () => {
  it('are the defaults of the specification', () => {
    expect(mapOptionsOf({})).toEqual(mapDefaults)
    expect(mapDefaults).toMatchObject({
      pitch: 50,
      bearing: 0,
      distance: 50,
      style: 1,
      markerstyle: 'default',
    })
    expect(mapQueryOf(mapDefaults)).toBe('')
  })

  it('come from the address, and go into it', () => {
    const options = {
      markerstyle: 'outlined',
      hidebar: true,
      indoor: true,
      pitch: 0,
      bearing: 360,
      zoom: 0,
      distance: 200,
      style: 4,
    } as const
    const query = mapQueryOf(options)
    expect(query).toBe(
      '?markerstyle=outlined&hidebar=true&indoor=true&pitch=0&bearing=360&zoom=0&distance=200&style=4',
    )
    expect(mapOptionsOf(Object.fromEntries(new URLSearchParams(query)))).toEqual(options)
  })

  it.each([
    ['pitch', '86'],
    ['pitch', '-1'],
    ['pitch', '1.5'],
    ['bearing', '361'],
    ['bearing', ''],
    ['zoom', '23'],
    ['zoom', '1e1'],
    ['distance', '29'],
    ['distance', '201'],
    ['style', '0'],
    ['style', '5'],
    ['markerstyle', 'javascript:alert(1)'],
    ['hidebar', 'yes'],
  ])('%s=%s is the default', (key, value) => {
    expect(mapOptionsOf({ [key]: value })).toEqual(mapDefaults)
  })

  it('begin with the settings of the twin, and the address wins', () => {
    expect(optionsOf(settingsDefaults)).toEqual(mapDefaults)
    const defaults = optionsOf({
      ...settingsDefaults,
      markerStyle: 'outlined',
      pitch: 30,
      bearing: 90,
      zoom: 12,
      distance: 80,
      style: 2,
    })
    const begun = { markerstyle: 'outlined', pitch: 30, bearing: 90, zoom: 12, distance: 80, style: 2 }
    expect(mapOptionsOf({}, defaults)).toMatchObject(begun)
    expect(mapOptionsOf({ pitch: '86', markerstyle: 'square' }, defaults)).toMatchObject(begun)
    const given = { pitch: '0', zoom: '3', markerstyle: 'default' }
    expect(mapOptionsOf(given, defaults)).toMatchObject({
      ...begun,
      pitch: 0,
      zoom: 3,
      markerstyle: 'default',
    })
    expect(mapQueryOf({ ...defaults, pitch: 50 }, defaults)).toBe('?pitch=50')
    expect(mapQueryOf(defaults, defaults)).toBe('')
  })

  it('take the first of several values', () => {
    expect(mapOptionsOf({ pitch: ['30', '40'] }).pitch).toBe(30)
  })
})

describe('the address of a page', () => {
  const share = { token: 'lss_a', objectId: 7 }
  it('is a hash route, and has a path for frames', () => {
    expect(pageAddress('https://x.example', share, 'tiles')).toBe('https://x.example/#/public/lss_a/tiles/7')
    expect(pageAddress('https://x.example', share, 'map', { query: '?pitch=0', framed: true })).toBe(
      'https://x.example/public/lss_a#/public/lss_a/map/7?pitch=0',
    )
  })

  it('is escaped in the code of a frame', () => {
    expect(frameCode('https://x.example/?a=1&b=2', 'Hall "A" <1>')).toContain(
      'src="https://x.example/?a=1&amp;b=2" title="Hall &quot;A&quot; &lt;1&gt;"',
    )
  })
})
