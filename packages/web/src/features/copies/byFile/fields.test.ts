import { cellFormats, TwinColumn, twinTargets } from '@leitstand/contract/bulkDuplicate'
import { copyLimits } from '@leitstand/contract/copies'
import { expect, test } from 'vitest'
import { columnFault } from '../../batches/pure.ts'
import { templateTwinsMax } from '../choices.ts'
import { suggestedTwins, toTwinColumns, twinFields } from './fields.ts'
import { sampleOf } from './sample.ts'

test('fields, formats and the limit are those of the contract', () => {
  expect([...twinFields.targets].sort()).toEqual([...twinTargets].sort())
  expect(twinFields.formats).toEqual(cellFormats)
  expect(templateTwinsMax).toBe(copyLimits.directTwinsMax)
})

test('columns are sent with the format of those that have a name', () => {
  const choices = suggestedTwins({
    columns: [
      { title: 'Name', target: 'title', name: 'Name', format: 'text', examples: [] },
      { title: 'DevEUI', target: null, name: 'DevEUI', format: 'eui', examples: [] },
      { title: 'Referenz-ID eui', target: 'referenceId', name: 'eui', format: 'eui', examples: [] },
    ],
  })
  const columns = toTwinColumns(choices)
  expect(columns).toEqual([
    { column: 0, target: 'title', format: 'text' },
    { column: 2, target: 'referenceId', name: 'eui', format: 'eui' },
  ])
  expect(columns.every((column) => TwinColumn.safeParse(column).success)).toBe(true)
  expect(columnFault(choices, twinFields)).toBeNull()
  expect(columnFault(choices.slice(1), twinFields)).toEqual({ key: 'missing', fields: ['title'] })
})

test('the sample file has a column for each field, key and reference id of the twin', () => {
  const twin = {
    title: 'House',
    description: '',
    type: 'building' as const,
    tags: ['a', 'b'],
    zones: [],
    address: 'Main Street 1',
    latitude: 53.5,
    longitude: null,
    parentId: 7,
    keyValues: { maker: 'Acme' },
    referenceIds: [
      { name: 'meter', value: '1' },
      { name: 'meter', value: '2' },
    ],
  }
  const { header, rows } = sampleOf(
    twin,
    (column) => column,
    (type) => `type ${type}`,
  )
  expect(header).toEqual([
    ...['title', 'description', 'type', 'tags', 'zones', 'address', 'latitude', 'longitude', 'parent'],
    'keyValue maker',
    'referenceId meter',
  ])
  const place = ['Main Street 1', 53.5, null, '7']
  expect(rows).toEqual([
    ['House 1', '', 'type building', 'a, b', '', ...place, 'Acme', ''],
    ['House 2', '', 'type building', 'a, b', '', ...place, 'Acme', ''],
  ])
})
