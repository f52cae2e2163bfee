import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { type Chart, drawChart, stepsOf, timesOf } from './svg.ts'

const hourMs = 3_600_000
const day = Date.UTC(2026, 10, 25)
const chart: Chart = {
  title: 'Klasse 1a · CO₂',
  unit: 'ppm',
  decimals: 0,
  timeZone: 'Europe/Berlin',
  fromMs: day,
  toMs: day + 24 * hourMs,
  points: [
    [day + hourMs, 400],
    [day + 2 * hourMs, 800.4],
    [day + 3 * hourMs, null],
    [day + 4 * hourMs, 1200],
  ],
}

describe('the steps of a chart', () => {
  it('are round, at equal distances and around all values', () => {
    const number = fc.double({ min: -1e9, max: 1e9, noNaN: true })
    fc.assert(
      fc.property(fc.array(number, { minLength: 1, maxLength: 20 }), (values) => {
        const steps = stepsOf(values)
        expect(steps.length).toBeGreaterThanOrEqual(2)
        expect(steps.length).toBeLessThanOrEqual(7)
        const distance = (steps[1] as number) - (steps[0] as number)
        expect(steps[0]).toBeLessThanOrEqual(Math.min(...values) + distance * 1e-6)
        expect(steps.at(-1)).toBeGreaterThanOrEqual(Math.max(...values) - distance * 1e-6)
      }),
    )
  })

  it('do not need different values', () => {
    expect(stepsOf([0])).toEqual([0, 0.5])
    expect(stepsOf([21, 21])[0]).toBeLessThanOrEqual(21)
  })
})

describe('the times below a chart', () => {
  it('are those of the account, with the date where a day begins', () => {
    const labels = timesOf(day, day + 24 * hourMs, 'Europe/Berlin').map(({ label }) => label)
    expect(labels).toEqual(['06:00', '12:00', '18:00', '11-26'])
  })

  it('are few in any period', () => {
    for (const hours of [1, 2, 6, 24, 100, 168, 744]) {
      const times = timesOf(day, day + hours * hourMs, 'Europe/Berlin')
      expect(times.length).toBeGreaterThanOrEqual(2)
      expect(times.length).toBeLessThanOrEqual(8)
      expect(times.every(({ ms }) => ms >= day && ms <= day + hours * hourMs)).toBe(true)
    }
  })
})

test('a chart has its title, its newest value with unit, and a gap where values are missing', () => {
  const svg = drawChart(chart) as string
  expect(svg).toContain('>Klasse 1a · CO₂</text>')
  expect(svg).toContain('>1200 ppm</text>')
  const [, line = ''] = /<path d="(M[^"]+)" fill="none"/.exec(svg) ?? []
  expect(line.match(/M/g)).toHaveLength(2)
  expect(line.match(/L/g)).toHaveLength(1)
})

test('without a number there is no chart', () => {
  expect(drawChart({ ...chart, points: [[day, null]] })).toBeNull()
})

test('whatever a title contains, it stays a readable document', () => {
  const title = `<text>&amp; "x" \u0000\u0007\uD800 ${'ä'.repeat(200)}`
  const svg = drawChart({ ...chart, title }) as string
  expect(svg).not.toContain('<text>&amp;')
  const codes = [...svg].map((letter) => letter.codePointAt(0) as number)
  expect(codes.filter((code) => (code < 32 && code !== 10) || (code >= 0xd800 && code <= 0xdfff))).toEqual([])
})
