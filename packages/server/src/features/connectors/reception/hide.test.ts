import { expect, test } from 'vitest'
import { hideAll } from './hide.ts'

test('no secret of a connector stands in what is told about it', () => {
  expect(hideAll(['p$1', null, '', undefined, 'abc'], 'p$1 was refused for abc, p$1 again')).toBe(
    '*** was refused for ***, *** again',
  )
  expect(hideAll([], 'connect ECONNREFUSED')).toBe('connect ECONNREFUSED')
})
