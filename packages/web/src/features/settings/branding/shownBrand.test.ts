import { BrandSettings } from '@leitstand/contract/branding'
import { expect, test } from 'vitest'
import { shownBrand } from './shownBrand.ts'

const images = { logo: '/l.png', favicon: null, home: '/h.png', login: '/s.png' }
const defaults = BrandSettings.parse({})

test('settings that are being typed are shown as visitors would get them', () => {
  const pages = {
    de: { ...defaults.pages.de, title: ' Nord ', imprintText: 'Markt 1' },
    en: defaults.pages.en,
  }
  const brand = shownBrand({ ...defaults, pages, lightHighlight: '#8a1538' }, images, {
    hasTerms: true,
    hasDrawerLinks: false,
  })
  expect(brand).toMatchObject({ isBranded: true, lightHighlight: '#8a1538', images, hasTerms: true })
  expect(brand.pages.de).toMatchObject({ title: 'Nord', imprint: { url: null, hasText: true } })
  expect(brand.pages.en).toMatchObject({ title: 'IoT Platform', imprint: { url: null, hasText: false } })
  expect(brand).not.toHaveProperty('grafanaUrl')
})

test.each(['#8', '#8a15', 'red', ''])('%j is no colour yet: the default is shown', (hex) => {
  expect(shownBrand({ ...defaults, lightHighlight: hex }, images, null).lightHighlight).toBeNull()
})

test('backgrounds that are turned off are not shown, the logo is', () => {
  const { images: shown } = shownBrand({ ...defaults, useCustomBackground: false }, images, null)
  expect(shown).toEqual({ logo: '/l.png', favicon: null, home: null, login: null })
})
