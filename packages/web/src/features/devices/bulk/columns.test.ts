import { importTargets } from '@leitstand/contract/bulk'
import { expect, test } from 'vitest'
import { columnFault, suggested, targets, toColumns } from './columns.ts'

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
