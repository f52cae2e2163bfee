import { noHealthConfig } from '@leitstand/contract/health'
import { describe, expect, it } from 'vitest'
import type { VersionContent } from '../store.ts'
import { changesBetween, isAsDelivered, upgraded } from './changes.ts'

const packet = (payload: string, t: number) => ({
  title: '',
  fPort: 1,
  payload,
  encoding: 'base16' as const,
  expected: { t },
})
const entry = (identifier: string, value: number) => ({
  identifier,
  category: 'battery' as const,
  type: 'warning' as const,
  description: '',
  expression: '',
  condition: { variable: 'battery', operator: 'lt' as const, value },
  olderThanDuration: null,
  olderThanVariable: null,
})
const downlink = (name: string, payload: string) => ({
  name,
  description: '',
  port: 1,
  payload,
  encoding: 'base16' as const,
  confirmed: false,
  gateways: [],
  parameters: [],
})
const content = (more: Partial<VersionContent> = {}): VersionContent => ({
  parser: { kind: 'function' },
  script: 'a',
  calculated: [],
  variables: [{ key: 't', title: 'T', unit: '°C' }],
  golden: [packet('01', 1)],
  health: noHealthConfig(),
  downlinks: [],
  ...more,
})

describe('an installed driver', () => {
  it('is as delivered when it holds the same, whatever golden packets were added to it', () => {
    expect(isAsDelivered(content(), content())).toBe(true)
    expect(isAsDelivered(content({ golden: [packet('01', 1), packet('02', 2)] }), content())).toBe(true)
  })

  it('is as delivered whatever downlinks were added to it, and is not with one changed or removed', () => {
    const delivered = content({ downlinks: [downlink('Restart', '01')] })
    const more = [downlink('Restart', '01'), downlink('Mine', '02')]
    expect(isAsDelivered(content({ downlinks: more }), delivered)).toBe(true)
    expect(isAsDelivered(content({ downlinks: [downlink('Restart', '03')] }), delivered)).toBe(false)
    expect(isAsDelivered(content(), delivered)).toBe(false)
  })

  it('keeps its own downlinks when it is updated, and says which change', () => {
    const before = content({ downlinks: [downlink('Restart', '01'), downlink('Mine', '02')] })
    const after = content({ downlinks: [downlink('Restart', '03'), downlink('Interval', '04')] })
    const updated = upgraded(before, after)
    expect(updated.downlinks.map(({ name, payload }) => `${name} ${payload}`)).toEqual([
      'Restart 03',
      'Interval 04',
      'Mine 02',
    ])
    expect(changesBetween(before, updated).downlinks).toEqual({
      added: ['Interval'],
      removed: [],
      changed: ['Restart'],
    })
  })

  it.each([
    ['another script', { script: 'b' }],
    ['another unit', { variables: [{ key: 't', title: 'T', unit: 'K' }] }],
    ['another result of a golden packet', { golden: [packet('01', 2)] }],
    ['a golden packet less', { golden: [] }],
    ['another health', { health: { ...noHealthConfig(), entries: [entry('low', 20)] } }],
  ])('is not with %s', (_what, more) => {
    expect(isAsDelivered(content(more), content())).toBe(false)
  })

  it('keeps its own golden packets when it is updated, as many as fit', () => {
    const before = content({ golden: [packet('01', 1), packet('0A', 7)] })
    const after = content({ script: 'b', golden: [packet('01', 5), packet('0b', 2)] })
    expect(upgraded(before, after)).toEqual({
      ...after,
      golden: [packet('01', 5), packet('0b', 2), packet('0A', 7)],
    })
    const many = Array.from({ length: 120 }, (_, at) => packet(at.toString(16).padStart(2, '0'), at))
    expect(upgraded(content({ golden: many }), after).golden).toHaveLength(100)
  })

  it('tells what an update changes', () => {
    const before = content({
      variables: [
        { key: 't', title: 'T', unit: '°C' },
        { key: 'gone', title: '', unit: '' },
      ],
      health: { ...noHealthConfig(), entries: [entry('low', 20), entry('old', 1)] },
    })
    const after = content({
      script: 'b',
      variables: [
        { key: 't', title: 'T', unit: 'K' },
        { key: 'new', title: '', unit: '' },
      ],
      golden: [packet('01', 1), packet('02', 2)],
      health: { ...noHealthConfig(), entries: [entry('low', 10)] },
    })
    expect(changesBetween(before, after)).toEqual({
      script: true,
      variables: { added: ['new'], removed: ['gone'], changed: ['t'] },
      health: { added: [], removed: ['old'], changed: ['low'] },
      downlinks: { added: [], removed: [], changed: [] },
      golden: 1,
    })
    expect(changesBetween(before, before)).toMatchObject({ script: false, golden: 0 })
  })
})
