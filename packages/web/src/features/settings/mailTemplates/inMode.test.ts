import { expect, test } from 'vitest'
import { inMode } from './inMode.ts'

const html =
  '<style>:root{color-scheme:light dark}@media (prefers-color-scheme:dark){.page{color:red}}</style>'

test('an email is shown in the mode that was asked for', () => {
  expect(inMode(html, 'dark')).toBe('<style>:root{color-scheme:dark}@media all{.page{color:red}}</style>')
  expect(inMode(html, 'light')).toBe(
    '<style>:root{color-scheme:light}@media not all{.page{color:red}}</style>',
  )
})
