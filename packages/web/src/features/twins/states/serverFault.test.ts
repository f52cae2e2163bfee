import { expect, test } from 'vitest'
import { emptyState } from './form.ts'
import { placeOf } from './serverFault.ts'

test.each([
  ['a duplicate key', 'DTWIN_STATE_DUPLICATE_KEY', {}, { field: 'key', hasText: true }],
  ['a loop', 'AGGREGATE_LOOP', { field: 'title' }, { field: 'stateIds', hasText: true }],
  [
    'a field of the form',
    'STATE_INVALID',
    { field: 'transformer' },
    { field: 'transformer', hasText: false },
  ],
  [
    'a field of the settings',
    'STATE_INVALID',
    { field: 'sourceSettings.min' },
    { field: 'min', hasText: false },
  ],
  ['a field the form does not have', 'STATE_INVALID', { field: 'dtwinId' }, undefined],
  ['no field', 'STATE_INVALID', {}, undefined],
  ['a field that is no text', 'STATE_INVALID', { field: 7 }, undefined],
  ['an empty field', 'STATE_INVALID', { field: '' }, undefined],
  ['a name that every object has', 'STATE_INVALID', { field: 'constructor' }, undefined],
  ['a code that every object has', 'constructor', {}, undefined],
])('%s', (_name, code, details, place) => {
  expect(placeOf(code, details, emptyState)).toEqual(place)
})
