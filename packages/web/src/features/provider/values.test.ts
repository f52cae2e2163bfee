import { describe, expect, it } from 'vitest'
import { faultsOf, inputOf, valuesOf } from './values.ts'

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
      title: 'validation.required',
      redirectUris: 'validation.required',
    })
    expect(faultsOf({ ...values, redirectUris: 'http://app.example.org/', homepage: 'example.org' })).toEqual(
      {
        redirectUris: 'applications.redirectUrisFault',
        homepage: 'applications.homepageFault',
      },
    )
    expect(faultsOf({ ...values, scopes: [] })).toEqual({ scopes: 'validation.required' })
    const many = Array.from({ length: 21 }, (_, index) => `https://app.example.org/${index}`).join('\n')
    expect(faultsOf({ ...values, redirectUris: many })).toEqual({
      redirectUris: 'applications.redirectUrisTooMany',
    })
  })
})
