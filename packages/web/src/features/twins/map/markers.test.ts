import type { Marker, MarkerValue } from '@leitstand/contract/mapSettings'
import { describe, expect, it } from 'vitest'
import type { MapPoint } from '../../../ui/map/MapView.tsx'
import { askedMarkers, withMarker } from './markers.ts'

const point: MapPoint = {
  id: '1',
  latitude: 49,
  longitude: 12,
  title: 'Room',
  detail: 'Room',
  tone: 'accent',
}
const value = (title: string, shown: MarkerValue['value'], more: Partial<MarkerValue> = {}): MarkerValue => ({
  stateId: 1,
  key: title,
  title,
  unit: '°C',
  decimals: 1,
  valueType: 'number',
  lowerBound: null,
  upperBound: null,
  visualization: { kind: 'value' },
  value: shown,
  ...more,
})
const marker = (more: Partial<Marker>): Marker => ({ color: null, icon: null, values: [], ...more })
const plain = (text: string | undefined) => text?.replace(/\u202f/g, ' ')

describe('a marker', () => {
  it('has its value below the point and in front of the detail', () => {
    const shown = withMarker(point, marker({ values: [value('Temperature', 21.55)] }))
    expect([plain(shown.value), plain(shown.detail), shown.tone]).toEqual([
      '21,6 °C',
      '21,6 °C · Room',
      'accent',
    ])
  })

  it('names its values if there are several', () => {
    const values = [value('Temperature', 21), value('Door', 'open', { unit: '', decimals: null })]
    const shown = withMarker(point, marker({ values }))
    expect(plain(shown.value)).toBe('21,0 °C\nopen')
    expect(plain(shown.detail)).toBe('Temperature 21,0 °C · Door open · Room')
  })

  it('has the colour of its operator, else that of the point', () => {
    expect(withMarker(point, marker({ color: 'violet' })).tone).toBe('invalid')
    expect(withMarker(point, marker({}))).toEqual(point)
    expect(withMarker(point, null)).toBe(point)
  })
})

it('nothing is asked for unless something is to be shown', () => {
  expect(askedMarkers({ states: [], operators: [] })).toBeUndefined()
  expect(askedMarkers({ states: ['a'], operators: [] })).toEqual({ states: ['a'], operators: [] })
})
