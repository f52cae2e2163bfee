import { expect, test } from 'vitest'
import { columnsOf, type TargetState, valuesOf } from './rows.ts'

const temperature: TargetState = {
  id: 1,
  key: 'temperature',
  title: 'Temperatur',
  unit: '°C',
  valueType: 'number',
}
const open: TargetState = { id: 2, key: 'open', title: 'Offen', unit: '', valueType: 'boolean' }
const states = [temperature, open]
const berlin = { zone: 'Europe/Berlin', only: false }
const bounds = { fromMs: Date.UTC(2006, 0), toMs: Date.UTC(2026, 10, 25) }
const byKey = new Map(states.map((state) => [state.key, state]))

function read(header: string[], ...rows: string[][]) {
  const columns = columnsOf(header, states, berlin)
  if (columns === null) throw new Error('the header is readable')
  return rows.map((row) => valuesOf(row, header, columns, { byKey, bounds }))
}

test('a column for each state, by key or by the title of our own files', () => {
  expect(
    columnsOf(
      ['Zeit (Asia/Tokyo)', 'Gerät oder Zwilling', 'Temperatur [°C]', 'OPEN', 'Offen'],
      states,
      berlin,
    ),
  ).toEqual({
    time: 0,
    zone: 'Asia/Tokyo',
    long: null,
    states: [
      { column: 2, state: temperature },
      { column: 3, state: open },
    ],
    ignored: ['Gerät oder Zwilling', 'Offen'],
  })
})

test('a column value belongs to the only state', () => {
  const only = { ...berlin, only: true }
  expect(columnsOf(['time', 'Wert'], [open], only)?.states).toEqual([{ column: 1, state: open }])
  expect(columnsOf(['time', 'Wert'], [open], berlin)).toBeNull()
})

test.each([[['temperature']], [['time', 'humidity']], [['time']]])('%j lacks a column', (header) => {
  expect(columnsOf(header, states, berlin)).toBeNull()
})

test('values in rows, with faults of single cells', () => {
  const found = read(
    ['time', 'temperature', 'open'],
    ['2026-11-23 14:00', '21,5', 'true'],
    ['2026-11-23 14:01', '', '0'],
    ['2026-11-23 14:02', 'warm', 'false'],
    ['soon', '1', ''],
    ['1999-01-01', '1', ''],
    ['', '', ''],
  )
  const at = (minute: number) => Date.UTC(2026, 10, 23, 13, minute)
  expect(found).toEqual([
    {
      values: [
        [1, at(0), 21.5],
        [2, at(0), true],
      ],
      faults: [],
    },
    { values: [[2, at(1), false]], faults: [] },
    { values: [[2, at(2), false]], faults: [{ column: 'temperature', code: 'VALUE', cell: 'warm' }] },
    { values: [], faults: [{ column: 'time', code: 'TIME', cell: 'soon' }] },
    { values: [], faults: [{ column: 'time', code: 'TIME_RANGE', cell: '1999-01-01' }] },
    { values: [], faults: [] },
  ])
})

test('a row for each value, by key', () => {
  expect(
    read(
      ['key', 'value', 'time'],
      ['temperature', '-3', '2026-11-23T14:00:00Z'],
      ['humidity', '1', '2026-11-23T14:00:00Z'],
    ),
  ).toEqual([
    { values: [[1, Date.UTC(2026, 10, 23, 14), -3]], faults: [] },
    { values: [], faults: [{ column: 'key', code: 'STATE_UNKNOWN', cell: 'humidity' }] },
  ])
})
