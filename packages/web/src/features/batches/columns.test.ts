import { ImportColumn, importTargets } from '@leitstand/contract/bulk'
import { describe, expect, test } from 'vitest'
import {
  deviceFields,
  columnFault as faultIn,
  namedTargets,
  suggested,
  targets,
  toColumns,
} from './columns.ts'

const columnFault = (choices: ReturnType<typeof suggested>) => faultIn(choices, deviceFields)

const choice = (target: string, name = 'x') => ({ target, name }) as ReturnType<typeof suggested>[number]

test('the fields are those of the contract', () => {
  expect([...targets].sort()).toEqual([...importTargets].sort())
})

test('columns that are left out are not sent, and only some have a name', () => {
  const choices = suggested({
    columns: [
      { title: 'EUI', target: 'externalId', examples: [] },
      { title: 'Serial', target: null, examples: [] },
    ],
  })
  expect(toColumns(choices)).toEqual([{ column: 0, target: 'externalId' }])
  expect(toColumns([choice(''), choice('keyValue', ' serial ')])).toEqual([
    { column: 1, target: 'keyValue', name: 'serial' },
  ])
})

test('a choice that cannot be imported says why', () => {
  const both = [choice('externalId'), choice('title')]
  expect(columnFault([choice('title')])).toEqual({ key: 'missing', fields: ['externalId'] })
  expect(columnFault([...both, choice('title')])).toEqual({ key: 'twice' })
  expect(columnFault([...both, choice('keyValue', ' ')])).toEqual({ key: 'nameMissing' })
  expect(columnFault([...both, choice('keyValue', 'a'), choice('keyValue', 'b')])).toBeNull()
})

describe('a mapping', () => {
  const both = [choice('externalId'), choice('title')]
  test.each([
    ['nothing is mapped', [], { key: 'missing', fields: ['externalId', 'title'] }],
    ['everything is skipped', [choice(''), choice('')], { key: 'missing', fields: ['externalId', 'title'] }],
    ['only the needed columns', both, null],
    ['skipped columns do not count', [...both, choice(''), choice('')], null],
    [
      'a missing column is named before a missing name',
      [choice('title'), choice('keyValue', '')],
      { key: 'missing', fields: ['externalId'] },
    ],
    ['a reference id without a name', [...both, choice('referenceId', '')], { key: 'nameMissing' }],
    ['the same key twice', [...both, choice('keyValue', 'a'), choice('keyValue', ' a ')], { key: 'twice' }],
    [
      'a key and a reference id of the same name',
      [...both, choice('keyValue', 'a'), choice('referenceId', 'a')],
      null,
    ],
    ['keys that differ in case', [...both, choice('keyValue', 'a'), choice('keyValue', 'A')], null],
    ['a target twice', [...both, choice('tags'), choice('tags')], { key: 'twice' }],
  ])('%s', (_name, choices, fault) => {
    expect(columnFault(choices)).toEqual(fault)
  })

  test('numbers its columns as in the file', () => {
    const columns = toColumns([choice(''), choice('title'), choice(''), choice('externalId')])
    expect(columns.map(({ column }) => column)).toEqual([1, 3])
  })

  test('is accepted by the contract, whatever the target', () => {
    for (const target of targets) {
      const [column] = toColumns([choice(target, ' Name ')])
      expect(ImportColumn.safeParse(column).success, target).toBe(true)
      expect(column && 'name' in column).toBe(namedTargets.includes(target))
    }
  })

  test('starts with what the server suggests, named like the column', () => {
    const columns = [
      { title: 'Seriennummer', target: 'keyValue' as const, examples: [] },
      { title: '', target: null, examples: [] },
    ]
    expect(suggested({ columns })).toEqual([
      { target: 'keyValue', name: 'Seriennummer' },
      { target: '', name: '' },
    ])
  })
})
