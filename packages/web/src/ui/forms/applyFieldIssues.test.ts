import type { UseFormReturnType } from '@mantine/form'
import { ORPCError } from '@orpc/client'
import { describe, expect, test } from 'vitest'
import { openBrowser } from '../../../test/browser.ts'

openBrowser()
const { applyFieldIssues } = await import('./FormLayout.tsx')

type Form = UseFormReturnType<Record<string, unknown>>

function formOf(values: Record<string, unknown>) {
  const errors: Record<string, unknown> = {}
  const form = {
    getValues: () => values,
    setErrors: (next: Record<string, unknown>) => Object.assign(errors, next),
  }
  return { form: form as unknown as Form, errors }
}
const refused = (issues: unknown) =>
  new ORPCError('INPUT_INVALID', { status: 400, data: { requestId: null, details: { issues } } })

describe('errors of the server', () => {
  test.each([
    ['at a field', [{ path: 'title', message: 'fehlt' }], { title: 'fehlt' }, false],
    [
      'within a field',
      [{ path: ['limits', 'devices'], message: 'zu groß' }],
      { 'limits.devices': 'zu groß' },
      false,
    ],
    [
      'at a field and elsewhere',
      [
        { path: 'title', message: 'fehlt' },
        { path: 'version', message: 'alt' },
      ],
      { title: 'fehlt' },
      true,
    ],
    ['elsewhere', [{ path: 'version', message: 'alt' }], {}, true],
    ['at no field', [], {}, true],
    ['of no known form', 'kaputt', {}, true],
    ['at a name that every object has', [{ path: 'constructor', message: 'x' }], {}, true],
  ])('%s', (_name, issues, expected, others) => {
    const { form, errors } = formOf({ title: '', limits: { devices: 1 } })
    expect(applyFieldIssues(form, refused(issues))).toBe(others)
    expect(errors).toEqual(expected)
  })

  test('of another kind are not at fields', () => {
    const { form, errors } = formOf({ title: '' })
    expect(applyFieldIssues(form, new TypeError('fetch failed'))).toBe(true)
    expect(errors).toEqual({})
  })
})
