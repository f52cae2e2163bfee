import { BrandSettings } from '@leitstand/contract/branding'
import { expect, test } from 'vitest'
import { tabOfField } from './tabs.ts'

test.each([
  ['grafanaUrl', { tab: undefined }],
  ['pages.de.title', { tab: 'page', language: undefined }],
  ['pages.en.imprintUrl', { tab: 'page', language: 'en' }],
  ['showFooter', { tab: 'page' }],
  ['lightHighlight', { tab: 'theme' }],
])('a fault in %s is shown where the field is', (field, place) => {
  expect(tabOfField(field)).toEqual(place)
})

test('every setting is on a tab', () => {
  const tabs = Object.keys(BrandSettings.shape).map((field) => tabOfField(field).tab ?? 'defaults')
  expect(new Set(tabs)).toEqual(new Set(['defaults', 'page', 'theme']))
})
