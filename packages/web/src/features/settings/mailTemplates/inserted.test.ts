import { expect, test } from 'vitest'
import { inserted } from './inserted.ts'

test('a variable comes where the caret is, in place of what is selected', () => {
  expect(inserted('Hello !', '{{name}}', { selectionStart: 6, selectionEnd: 6 })).toEqual({
    value: 'Hello {{name}}!',
    caret: 14,
  })
  expect(inserted('Hello you!', '{{name}}', { selectionStart: 6, selectionEnd: 9 }).value).toBe(
    'Hello {{name}}!',
  )
})

test('without a field it comes at the end', () => {
  expect(inserted('Hello ', '{{name}}', null)).toEqual({ value: 'Hello {{name}}', caret: 14 })
})
