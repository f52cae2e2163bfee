import type { Application } from '@leitstand/contract'
import { redirectUrisMax } from '@leitstand/contract/applications'
import i18next from 'i18next'
import { beforeAll, describe, expect, it } from 'vitest'
import de from '../../locales/de.json' with { type: 'json' }
import { faultsOf, inputOf, valuesOf } from './values.ts'

beforeAll(() => i18next.init({ lng: 'de', resources: { de: { translation: de } } }))

const values = { ...valuesOf(null), title: ' Billing ', redirectUris: 'https://app.example.org/back' }

describe('what is entered about an application', () => {
  it('is sent without what is only typing', () => {
    const redirectUris =
      '\nhttps://app.example.org/back \n\nhttp://localhost:3000/back\nhttps://app.example.org/back'
    expect(inputOf({ ...values, redirectUris })).toMatchObject({
      title: 'Billing',
      homepage: null,
      redirectUris: ['https://app.example.org/back', 'http://localhost:3000/back'],
    })
  })

  it('is checked before it is sent', () => {
    expect(faultsOf(values)).toEqual({})
    expect(faultsOf(valuesOf(null))).toEqual({
      title: de.validation.required,
      redirectUris: de.validation.required,
    })
    expect(faultsOf({ ...values, redirectUris: 'http://app.example.org/', homepage: 'example.org' })).toEqual(
      {
        redirectUris: de.applications.redirectUrisFault,
        homepage: de.applications.homepageFault,
      },
    )
    expect(faultsOf({ ...values, scopes: [] })).toEqual({ scopes: de.validation.required })
    const many = Array.from({ length: 21 }, (_, index) => `https://app.example.org/${index}`).join('\n')
    expect(faultsOf({ ...values, redirectUris: many })).toEqual({
      redirectUris: de.applications.redirectUrisTooMany,
    })
  })
})

describe('a stored application', () => {
  const stored = {
    title: 'Billing',
    description: 'Invoices',
    icon: 'scale',
    homepage: 'https://app.example.org',
    kind: 'public',
    redirectUris: ['https://app.example.org/a', 'https://app.example.org/b'],
    scopes: ['openid', 'devices.read'],
  } as unknown as Application

  it('comes back unchanged from its form', () => {
    const { kind, ...sent } = stored as unknown as Record<string, unknown>
    expect(inputOf(valuesOf(stored))).toEqual(sent)
    expect(valuesOf(stored).kind).toBe(kind)
    expect(faultsOf(valuesOf(stored))).toEqual({})
  })

  it.each([
    ['', null],
    ['  ', null],
    [' https://a.example ', 'https://a.example'],
  ])('the homepage %j is sent as %j', (homepage, sent) => {
    expect(inputOf({ ...valuesOf(stored), homepage }).homepage).toBe(sent)
  })
})

describe('addresses', () => {
  it.each([
    ['https://app.example.org/back', []],
    ['http://localhost:3000/', []],
    ['http://127.0.0.1/', []],
    ['http://app.example.org/', ['redirectUris']],
    ['javascript:alert(1)', ['redirectUris']],
    ['//app.example.org', ['redirectUris']],
    ['https://app.example.org/#part', ['redirectUris']],
    ['', ['redirectUris']],
    ['\n \n', ['redirectUris']],
  ])('to come back to: %j', (redirectUris, fields) => {
    expect(Object.keys(faultsOf({ ...values, redirectUris }))).toEqual(fields)
  })

  it.each([
    ['https://example.org', []],
    ['http://example.org', ['homepage']],
    ['javascript:alert(1)', ['homepage']],
    ['example.org', ['homepage']],
    ['https://', ['homepage']],
  ])('of the homepage: %j', (homepage, fields) => {
    expect(Object.keys(faultsOf({ ...values, homepage }))).toEqual(fields)
  })

  it('as many as there may be, and one more', () => {
    const lines = (count: number) =>
      Array.from({ length: count }, (_, index) => `https://a.example/${index}`).join('\r\n')
    expect(faultsOf({ ...values, redirectUris: lines(redirectUrisMax) })).toEqual({})
    expect(Object.keys(faultsOf({ ...values, redirectUris: lines(redirectUrisMax + 1) }))).toEqual([
      'redirectUris',
    ])
  })
})
