import { describe, expect, it } from 'vitest'
import { ForeignHosts, readStyle } from './styleDocument.ts'

const address = 'https://maps.example.org/styles/city/style.json?key=k1'
const maps = 'https://maps.example.org'
const style = (more: object) => ({ version: 8, sources: {}, layers: [], ...more })

describe('a style document', () => {
  it('has addresses that stand for themselves, with their placeholders', () => {
    const read = readStyle(
      style({
        glyphs: '/fonts/{fontstack}/{range}.pbf',
        sprite: [{ id: 'default', url: 'sprite' }],
        sources: {
          tiles: { type: 'vector', tiles: ['../../data/{z}/{x}/{y}.pbf?key=k1'] },
          more: { type: 'vector', url: `${maps}/data/more.json` },
          own: { type: 'geojson', data: { type: 'FeatureCollection', features: [] } },
        },
      }),
      address,
      [maps],
    )
    expect(read).toMatchObject({
      glyphs: `${maps}/fonts/{fontstack}/{range}.pbf`,
      sprite: [{ id: 'default', url: `${maps}/styles/city/sprite` }],
      sources: {
        tiles: { tiles: [`${maps}/data/{z}/{x}/{y}.pbf?key=k1`] },
        more: { url: `${maps}/data/more.json` },
        own: { data: { type: 'FeatureCollection' } },
      },
    })
  })

  it('is refused with the hosts that nobody has named', () => {
    const foreign = style({
      glyphs: 'https://fonts.example.org/{fontstack}/{range}.pbf',
      sources: {
        a: { type: 'vector', url: 'mapbox://x' },
        b: { type: 'raster', tiles: [`${maps}/{z}.png`] },
      },
    })
    const origins = (allowed: string[]) => {
      try {
        readStyle(foreign, address, allowed)
        return []
      } catch (error) {
        if (!(error instanceof ForeignHosts)) throw error
        return error.origins
      }
    }
    expect(origins([maps])).toEqual(['mapbox:', 'https://fonts.example.org'])
    expect(origins([maps, 'https://fonts.example.org'])).toEqual(['mapbox:'])
  })

  it.each([null, 'text', {}, { version: 7, sources: {}, layers: [] }, { version: 8, sources: {} }])(
    '%j is none',
    (document) => {
      expect(() => readStyle(document, address, [maps])).toThrow('no MapLibre style')
    },
  )
})
